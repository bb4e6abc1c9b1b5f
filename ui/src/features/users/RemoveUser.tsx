/** Takes somebody out of the account, after saying what that ends. */
import { useAct } from "@/app/api/queries";
import { useMe } from "@/app/api/session";
import { Confirm } from "@/components/Confirm";
import { toast } from "@/components/toasts";
import type { User } from "@/gen/api";

export function RemoveUser({
  user,
  onClose,
  onRemoved,
}: {
  user: User;
  onClose: () => void;
  onRemoved?: () => void;
}) {
  const me = useMe();
  const remove = useAct("identity.remove_user", ["identity", "audit"]);
  const name = user.name || user.email;
  return (
    <Confirm
      title={`Remove ${name} from ${me.account.name}?`}
      consequences={[
        "Their sessions in this account end at once, and so do live views that are open.",
        "Their personal API keys for this account stop working and cannot be brought back.",
        user.teams.length > 0
          ? `They leave ${user.teams.map((team) => team.name).join(", ")}.`
          : "They are in no team.",
        "What they did stays in the audit log.",
      ]}
      act="Remove user"
      type={user.email}
      onConfirm={async () => {
        await remove.mutateAsync({ id: user.id });
        toast(`${name} was removed`);
        onRemoved?.();
      }}
      onClose={onClose}
    />
  );
}
