/** Shuts somebody out for a while, after saying what that stops; letting them in again asks nothing. */
import { asApiError } from "@/app/api/errors";
import { useAct } from "@/app/api/queries";
import { Confirm } from "@/components/Confirm";
import { toast } from "@/components/toasts";
import type { User } from "@/gen/api";

const STALE = ["identity", "audit"];

export function DisableUser({ user, onClose }: { user: User; onClose: () => void }) {
  const change = useAct("identity.change_user", STALE);
  const name = user.name || user.email;
  return (
    <Confirm
      title={`Disable ${name}?`}
      consequences={[
        "Their sessions in this account end at once, and they cannot sign in to it.",
        "Their API keys for this account stop working.",
        "Role, teams and keys are kept, and work again when you enable them.",
      ]}
      act="Disable user"
      onConfirm={async () => {
        await change.mutateAsync({ id: user.id, disabled: true });
        toast(`${name} was disabled`);
      }}
      onClose={onClose}
    />
  );
}

export function useEnableUser() {
  const change = useAct("identity.change_user", STALE);
  return async function enable(user: User) {
    try {
      await change.mutateAsync({ id: user.id, disabled: false });
      toast(`${user.name || user.email} may sign in again`);
    } catch (error) {
      toast(asApiError(error).message, { tone: "bad" });
    }
  };
}
