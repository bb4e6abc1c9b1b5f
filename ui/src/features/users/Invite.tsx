/** Asks somebody to join; the answer is a link to hand over, shown once. */
import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "@/app/api/queries";
import { FormBody } from "@/components/FormBody";
import { SecretOnce } from "@/components/SecretOnce";
import { SidePanel } from "@/components/SidePanel";
import { Time } from "@/components/Time";
import { useForm } from "@/components/useForm";
import type { InvitationCreated, User } from "@/gen/api";
import { TeamPicker } from "../teams/TeamPicker";
import { RolePicker } from "./RolePicker";

export function Invite() {
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/users/invitations", search: true });
  const [created, setCreated] = useState<InvitationCreated>();
  const invite = useAct("identity.invite", ["identity.invitations", "audit"]);
  const form = useForm({ email: "", role: "user" as User["role"], teams: [] as string[] }, async (values) =>
    setCreated(await invite.mutateAsync(values)),
  );
  if (created) {
    return (
      <SidePanel title={`Invitation of ${created.invitation.email}`} onClose={close}>
        <SecretOnce
          title="Invitation link"
          secret={`${window.location.origin}/invitation#token=${created.token}`}
          label="Invitation link"
          warning="Shown this once. Whoever holds it can join in this person's name."
          onDone={close}
        >
          <p className="dim">
            Argosy sends no e-mail: hand the link over yourself. It works once and expires{" "}
            <Time at={created.invitation.expires} />.
          </p>
        </SecretOnce>
      </SidePanel>
    );
  }
  return (
    <SidePanel title="Invite somebody" onClose={close}>
      <FormBody form={form} act="Make the link" onCancel={close}>
        <TextInput label="E-mail" type="email" autoComplete="off" data-autofocus {...form.text("email")} />
        <RolePicker {...form.field("role")} />
        <TeamPicker label="Teams" {...form.field("teams")} />
      </FormBody>
    </SidePanel>
  );
}
