/** Adds a user with a one-time password, whether the installation knows them or not: the answer does not tell. */
import { TextInput } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "@/app/api/queries";
import { FormBody } from "@/components/FormBody";
import { SecretOnce } from "@/components/SecretOnce";
import { SidePanel } from "@/components/SidePanel";
import { useForm } from "@/components/useForm";
import type { User, UserCreated } from "@/gen/api";
import { TeamPicker } from "../teams/TeamPicker";
import { RolePicker } from "./RolePicker";

export function NewUser() {
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/users", search: true });
  const [created, setCreated] = useState<UserCreated>();
  const create = useAct("identity.create_user", ["identity.user", "audit"]);
  const form = useForm(
    { email: "", name: "", role: "user" as User["role"], teams: [] as string[] },
    async (values) => setCreated(await create.mutateAsync(values)),
  );
  if (created) {
    return (
      <SidePanel title={created.user.name || created.user.email} onClose={close}>
        <SecretOnce
          title="One-time password"
          secret={created.one_time_password}
          label="One-time password"
          warning="Shown this once. Hand it over by a way you trust."
          onDone={close}
        >
          <p className="dim">
            {created.user.email} signs in with it and then chooses a password, or confirms with the one they
            have here already.
          </p>
        </SecretOnce>
      </SidePanel>
    );
  }
  return (
    <SidePanel title="Create user" onClose={close}>
      <p className="dim">
        They get a one-time password from you. To let them choose their own,{" "}
        <Link to="/settings/users/invitations/new">send an invitation</Link>.
      </p>
      <FormBody form={form} act="Create user" onCancel={close}>
        <TextInput label="E-mail" type="email" autoComplete="off" data-autofocus {...form.text("email")} />
        <TextInput label="Name" autoComplete="off" maxLength={120} {...form.text("name")} />
        <RolePicker {...form.field("role")} />
        <TeamPicker label="Teams" {...form.field("teams")} />
      </FormBody>
    </SidePanel>
  );
}
