/** Makes a key: for oneself or a service account, for how long, and what it may do. Then shows it, once. */
import { Select, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAct, useAnswer } from "@/app/api/queries";
import { useIsAdmin, useMe } from "@/app/api/session";
import { Copy } from "@/components/Copy";
import { FormBody } from "@/components/FormBody";
import { SecretOnce } from "@/components/SecretOnce";
import { SidePanel } from "@/components/SidePanel";
import { useForm } from "@/components/useForm";
import type { ApiKeyCreated } from "@/gen/api";
import { ScopePicker } from "./ScopePicker";

const LIFETIMES = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "One year" },
  { value: "never", label: "Never" },
];

export function NewApiKey() {
  const navigate = useNavigate();
  const { owner } = useSearch({ from: "/in/shell/settings/api-keys" });
  const close = () => void navigate({ to: "/settings/api-keys", search: true });
  const [created, setCreated] = useState<ApiKeyCreated>();
  const create = useAct("identity.create_api_key", [
    "identity.api_keys",
    "identity.service_account",
    "audit",
  ]);
  const form = useForm(
    { name: "", service_account: owner ?? "", lifetime: "90", scopes: null as string[] | null },
    async ({ name, service_account, lifetime, scopes }) =>
      setCreated(
        await create.mutateAsync({
          name,
          scopes,
          service_account: service_account || null,
          expires_days: lifetime === "never" ? null : Number(lifetime),
        }),
      ),
  );
  if (created) {
    return (
      <SidePanel title={created.api_key.name} onClose={close}>
        <SecretOnce
          title="API key"
          secret={created.key}
          label="API key"
          warning="Shown this once. Store it where your tool reads its secrets."
          onDone={close}
        >
          <p className="dim">Sign the command line in with it; paste the key on a line of its own:</p>
          <Copy
            label="Command to sign in with the key"
            text={`argosy login ${window.location.origin} --api-key -`}
          />
        </SecretOnce>
      </SidePanel>
    );
  }
  return (
    <SidePanel title="Create API key" onClose={close}>
      <FormBody form={form} act="Create key" onCancel={close}>
        <TextInput
          label="Name"
          description="What uses it, so that you know it later."
          maxLength={120}
          autoComplete="off"
          data-autofocus
          {...form.text("name")}
        />
        <OwnerPicker {...form.field("service_account")} />
        <Select
          label="Expires"
          data={LIFETIMES}
          allowDeselect={false}
          description={form.values.lifetime === "never" ? "Revoke it when its tool is gone." : undefined}
          {...form.field("lifetime")}
          error={form.errorAt("expires_days")}
          onChange={(lifetime) => lifetime && form.set({ lifetime })}
        />
        <ScopePicker {...form.field("scopes")} />
      </FormBody>
    </SidePanel>
  );
}

function OwnerPicker(props: { value: string; onChange: (id: string) => void; error: React.ReactNode }) {
  const me = useMe();
  const admin = useIsAdmin();
  const accounts = useAnswer("identity.service_accounts", { limit: 200 }, { enabled: admin });
  if (!admin) return null;
  return (
    <Select
      label="Acts as"
      data={[
        { value: "", label: `${me.name || me.email} (you)` },
        ...(accounts.data?.items ?? []).map(({ id, name }) => ({
          value: id,
          label: `${name} (service account)`,
        })),
      ]}
      searchable
      allowDeselect={false}
      value={props.value}
      onChange={(id) => props.onChange(id ?? "")}
      error={props.error}
    />
  );
}
