/** A new service account; its first key is one step further. */
import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useAct } from "@/app/api/queries";
import { FormBody } from "@/components/FormBody";
import { SidePanel } from "@/components/SidePanel";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import type { User } from "@/gen/api";
import { TeamPicker } from "../teams/TeamPicker";
import { RolePicker } from "../users/RolePicker";

export function NewServiceAccount() {
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/service-accounts", search: true });
  const create = useAct("identity.create_service_account", ["identity.service_account", "audit"]);
  const form = useForm({ name: "", role: "user" as User["role"], teams: [] as string[] }, async (values) => {
    const account = await create.mutateAsync(values);
    toast(`The service account ${account.name} was created`);
    void navigate({ to: "/settings/service-accounts/$id", params: { id: account.id }, search: true });
  });
  return (
    <SidePanel title="Create service account" onClose={close}>
      <FormBody form={form} act="Create" onCancel={close}>
        <TextInput
          label="Name"
          description="What it is for: the tool, not a person."
          maxLength={120}
          autoComplete="off"
          data-autofocus
          {...form.text("name")}
        />
        <RolePicker {...form.field("role")} />
        <TeamPicker label="Teams" {...form.field("teams")} />
      </FormBody>
    </SidePanel>
  );
}
