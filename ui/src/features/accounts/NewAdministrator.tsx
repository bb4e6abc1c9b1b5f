/** Makes a user of any account an administrator of the installation. */
import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useAct } from "@/app/api/queries";
import { FormBody } from "@/components/FormBody";
import { SidePanel } from "@/components/SidePanel";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";

export function NewAdministrator() {
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/administrators", search: true });
  const add = useAct("identity.add_administrator", ["identity", "audit"]);
  const form = useForm({ email: "" }, async (values) => {
    const made = await add.mutateAsync({ email: values.email.trim() });
    toast(`${made.name} administers the installation now`);
    close();
  });
  return (
    <SidePanel title="Add administrator" onClose={close}>
      <p className="dim">
        They will create accounts, appoint and remove administrators, and see the state of the services. Their
        open sessions learn of it within seconds.
      </p>
      <FormBody form={form} act="Add administrator" onCancel={close}>
        <TextInput
          label="E-mail"
          description="Of somebody who is a user of an account here."
          type="email"
          autoComplete="off"
          data-autofocus
          {...form.text("email")}
        />
      </FormBody>
    </SidePanel>
  );
}
