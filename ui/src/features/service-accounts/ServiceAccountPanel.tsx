/** One service account: its role and teams, and its keys. */
import { Button, Skeleton, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAct, useAnswer } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { FormBody } from "@/components/FormBody";
import { SidePanel } from "@/components/SidePanel";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import type { ServiceAccount } from "@/gen/api";
import { KeysOf } from "../api-keys/KeysOf";
import { TeamPicker } from "../teams/TeamPicker";
import { RolePicker } from "../users/RolePicker";
import { RemoveServiceAccount } from "./RemoveServiceAccount";

export function ServiceAccountPanel() {
  const { id } = useParams({ from: "/in/shell/settings/service-accounts/$id" });
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/service-accounts", search: true });
  const account = useAnswer("identity.service_account", { id });
  const [removing, setRemoving] = useState(false);
  return (
    <SidePanel reading title={account.data?.name ?? "Service account"} onClose={close}>
      {account.error && <ErrorState error={account.error} retry={() => void account.refetch()} />}
      {account.isPending && <Skeleton height={160} />}
      {account.data && (
        <>
          <Edit account={account.data} />
          <KeysOf owner={account.data} />
          <div>
            <Button variant="outline" color="red" onClick={() => setRemoving(true)}>
              Remove service account
            </Button>
          </div>
          {removing && (
            <RemoveServiceAccount
              account={account.data}
              onClose={() => setRemoving(false)}
              onRemoved={close}
            />
          )}
        </>
      )}
    </SidePanel>
  );
}

function Edit({ account }: { account: ServiceAccount }) {
  const save = useAct("identity.change_service_account", ["identity", "audit"]);
  const initial = { name: account.name, role: account.role, teams: account.teams.map((team) => team.id) };
  const form = useForm(initial, async (values) => {
    await save.mutateAsync({ id: account.id, ...values });
    toast("Service account saved");
  });
  return (
    <FormBody form={form} act="Save">
      <TextInput label="Name" maxLength={120} autoComplete="off" {...form.text("name")} />
      <RolePicker {...form.field("role")} />
      <TeamPicker label="Teams" known={account.teams} {...form.field("teams")} />
    </FormBody>
  );
}
