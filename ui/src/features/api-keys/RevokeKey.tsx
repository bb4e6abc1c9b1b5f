/** Ends a key, after saying what stops. */
import { useAct } from "@/app/api/queries";
import { Confirm } from "@/components/Confirm";
import { toast } from "@/components/toasts";
import type { ApiKey } from "@/gen/api";

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useAct("identity.revoke_api_key", [
    "identity.api_keys",
    "identity.service_account",
    "audit",
  ]);
  return (
    <Confirm
      title={`Revoke the key ${apiKey.name}?`}
      consequences={[
        `What signs in with ${apiKey.prefix}… as ${apiKey.owner.name} stops working at once.`,
        apiKey.last_used ? "It has been used: make its replacement first." : "It has never been used.",
        "A revoked key cannot be brought back.",
      ]}
      act="Revoke key"
      onConfirm={async () => {
        await revoke.mutateAsync({ id: apiKey.id });
        toast(`The key ${apiKey.name} was revoked`);
      }}
      onClose={onClose}
    />
  );
}
