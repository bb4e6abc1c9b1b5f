/** Removes a service account, after naming the keys that end with it. */
import { useAct } from "@/app/api/queries";
import { Confirm } from "@/components/Confirm";
import { toast } from "@/components/toasts";
import type { ServiceAccount } from "@/gen/api";

type Props = { account: ServiceAccount; onClose: () => void; onRemoved?: () => void };

export function RemoveServiceAccount({ account, onClose, onRemoved }: Props) {
  const remove = useAct("identity.remove_service_account", ["identity", "audit"]);
  const keys = account.keys === 1 ? "Its API key ends" : `Its ${account.keys} API keys end`;
  return (
    <Confirm
      title={`Remove the service account ${account.name}?`}
      consequences={[
        account.keys > 0 ? `${keys} at once: what uses them can no longer sign in.` : "It has no API keys.",
        "What it did stays in the audit log.",
      ]}
      act="Remove service account"
      type={account.name}
      onConfirm={async () => {
        await remove.mutateAsync({ id: account.id });
        toast(`The service account ${account.name} was removed`);
        onRemoved?.();
      }}
      onClose={onClose}
    />
  );
}
