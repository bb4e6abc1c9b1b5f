/** Switching a rule on and off (with an undo), and removing it. */
import { asApiError } from "@/app/api/errors";
import { useAct } from "@/app/api/queries";
import { Confirm } from "@/components/Confirm";
import { toast } from "@/components/toasts";
import type { AccessRule } from "@/gen/api";
import { listed } from "./draft";

const STALE = ["identity.access_rule", "audit"];

export function useToggleRule() {
  const change = useAct("identity.change_access_rule", STALE);
  return async function toggle(rule: AccessRule) {
    const set = (enabled: boolean) => change.mutateAsync({ id: rule.id, enabled });
    const complain = (error: unknown) => toast(asApiError(error).message, { tone: "bad" });
    try {
      await set(!rule.enabled);
      toast(`${rule.name} was switched ${rule.enabled ? "off" : "on"}`, {
        undo: () => void set(rule.enabled).catch(complain),
      });
    } catch (error) {
      complain(error);
    }
  };
}

export function RemoveRule({
  rule,
  onClose,
  onRemoved,
}: {
  rule: AccessRule;
  onClose: () => void;
  onRemoved?: () => void;
}) {
  const remove = useAct("identity.remove_access_rule", STALE);
  const teams = listed(
    rule.teams.map((team) => team.name),
    "and",
  );
  return (
    <Confirm
      title={`Remove the rule ${rule.name}?`}
      consequences={[
        `Members of ${teams} lose what no other rule grants them, within 30 seconds.`,
        "To stop it for a while, switch it off instead.",
      ]}
      act="Remove rule"
      onConfirm={async () => {
        await remove.mutateAsync({ id: rule.id });
        toast(`The rule ${rule.name} was removed`);
        onRemoved?.();
      }}
      onClose={onClose}
    />
  );
}
