/** A new account with its first admin, who gets a one-time password, shown once. */
import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "@/app/api/queries";
import { useMe } from "@/app/api/session";
import { FormBody } from "@/components/FormBody";
import { SecretOnce } from "@/components/SecretOnce";
import { SidePanel } from "@/components/SidePanel";
import { TimeZoneSelect } from "@/components/TimeZoneSelect";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";

export function NewAccount() {
  const me = useMe();
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/accounts", search: true });
  const [secret, setSecret] = useState<{ password: string; email: string; account: string }>();
  const create = useAct("identity.create_account", ["identity", "audit"]);
  const initial = { name: "", time_zone: me.time_zone || "UTC", admin_email: "" };
  const form = useForm(initial, async ({ admin_email, ...values }) => {
    const email = admin_email.trim();
    const made = await create.mutateAsync(email ? { ...values, admin_email: email } : values);
    toast(`The account ${made.name} was created`);
    if (made.one_time_password) {
      return setSecret({ password: made.one_time_password, email, account: made.name });
    }
    close();
  });
  if (secret) {
    return (
      <SidePanel title={secret.account} onClose={close}>
        <SecretOnce
          title="One-time password"
          secret={secret.password}
          label="One-time password"
          warning="Shown this once. Hand it over by a way you trust."
          onDone={close}
        >
          <p className="dim">
            {secret.email} signs in with it and then chooses a password, or confirms with the one they have
            here already.
          </p>
        </SecretOnce>
      </SidePanel>
    );
  }
  return (
    <SidePanel title="Create account" onClose={close}>
      <FormBody form={form} act="Create account" onCancel={close}>
        <TextInput label="Name" maxLength={120} autoComplete="off" data-autofocus {...form.text("name")} />
        <TimeZoneSelect description="For schedules that name none." {...form.field("time_zone")} />
        <TextInput
          label="E-mail of its first admin"
          description="Left empty, that is you. Somebody else gets a one-time password."
          type="email"
          autoComplete="off"
          {...form.text("admin_email")}
        />
      </FormBody>
    </SidePanel>
  );
}
