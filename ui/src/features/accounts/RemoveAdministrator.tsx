/** Ends somebody's say over the installation, after naming what that takes and what it leaves. */
import { useNavigate } from "@tanstack/react-router";
import { useAct } from "@/app/api/queries";
import { useMe } from "@/app/api/session";
import { Confirm } from "@/components/Confirm";
import { toast } from "@/components/toasts";
import type { Administrator } from "@/gen/api";

export function RemoveAdministrator({
  administrator,
  onClose,
}: {
  administrator: Administrator;
  onClose: () => void;
}) {
  const me = useMe();
  const navigate = useNavigate();
  const remove = useAct("identity.remove_administrator", ["identity", "audit"]);
  const self = administrator.id === me.id;
  return (
    <Confirm
      title={
        self ? "Stop administering the installation?" : `Remove the administrator ${administrator.name}?`
      }
      consequences={[
        self
          ? "You lose the pages under Installation at once; only another administrator can give them back."
          : "They can no longer create accounts, appoint administrators or see the services. Open sessions notice within seconds.",
        self
          ? "You stay a user of your accounts, with the role, teams and API keys you have there."
          : "They stay a user of their accounts, with the role, teams and API keys they have there.",
      ]}
      act="Remove administrator"
      type={administrator.email}
      onConfirm={async () => {
        await remove.mutateAsync({ id: administrator.id });
        toast(`${administrator.name} no longer administers the installation`);
        if (self) void navigate({ to: "/" });
      }}
      onClose={onClose}
    />
  );
}
