/** A new team, perhaps with its first members. */
import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useAct } from "@/app/api/queries";
import { FormBody } from "@/components/FormBody";
import { SidePanel } from "@/components/SidePanel";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import { UserPicker } from "../users/UserPicker";

export function NewTeam() {
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/teams", search: true });
  const create = useAct("identity.create_team", ["identity", "audit"]);
  const form = useForm({ name: "", description: "", members: [] as string[] }, async (values) => {
    const team = await create.mutateAsync(values);
    toast(`The team ${team.name} was created`);
    close();
  });
  return (
    <SidePanel title="Create team" onClose={close}>
      <FormBody form={form} act="Create team" onCancel={close}>
        <TextInput label="Name" maxLength={120} autoComplete="off" data-autofocus {...form.text("name")} />
        <TextInput label="Description" maxLength={200} autoComplete="off" {...form.text("description")} />
        <UserPicker label="Members" {...form.field("members")} />
      </FormBody>
    </SidePanel>
  );
}
