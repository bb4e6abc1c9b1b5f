/** Removes a team, after naming the rules that go with it. */
import { useAct, useAnswer } from "@/app/api/queries";
import { Confirm } from "@/components/Confirm";
import { toast } from "@/components/toasts";
import type { AccessRule, Team } from "@/gen/api";

export function RemoveTeam({
  team,
  onClose,
  onRemoved,
}: {
  team: Team;
  onClose: () => void;
  onRemoved?: () => void;
}) {
  const remove = useAct("identity.remove_team", ["identity", "audit"]);
  const rules = useAnswer("identity.access_rules", { team: team.id, limit: 200 });
  return (
    <Confirm
      title={`Remove the team ${team.name}?`}
      consequences={[
        `${team.members === 1 ? "1 member loses" : `${team.members} members lose`} what only this team may do. The users stay.`,
        rulesSentence(rules.data?.items, team.id),
      ]}
      act="Remove team"
      type={team.name}
      onConfirm={async () => {
        await remove.mutateAsync({ id: team.id });
        toast(`The team ${team.name} was removed`);
        onRemoved?.();
      }}
      onClose={onClose}
    />
  );
}

function rulesSentence(rules: readonly AccessRule[] | undefined, team: string): string {
  if (!rules) return "Rules that name only this team are removed with it.";
  const ending = rules.filter((rule) => rule.teams.every(({ id }) => id === team));
  if (ending.length === 0) return "No access rule ends: none names this team alone.";
  return `Removed with it, because they name only this team: ${ending.map((rule) => rule.name).join(", ")}.`;
}
