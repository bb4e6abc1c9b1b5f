/** Asks for what the first steps are judged by; for a user, only what a user may see. */
import { useAnswer } from "@/app/api/queries";
import { useIsAdmin, useMe } from "@/app/api/session";
import type { Found } from "./steps";

export function useFound(): Found | undefined {
  const me = useMe();
  const enabled = useIsAdmin();
  const users = useAnswer("identity.users", { limit: 2 }, { enabled });
  const invitations = useAnswer("identity.invitations", { limit: 1 }, { enabled });
  const teams = useAnswer("identity.teams", { limit: 50 }, { enabled });
  const rules = useAnswer("identity.access_rules", { limit: 50 }, { enabled });
  const keys = useAnswer("identity.api_keys", { limit: 1 });
  const asked = enabled ? [users, invitations, teams, rules, keys] : [keys];
  if (asked.some((answer) => answer.isPending)) return undefined;
  // A new account has a team that everyone is in, and rules for it; what counts is what people made.
  const own = (teams.data?.items ?? []).filter((team) => !team.everyone).map((team) => team.id);
  return {
    passwordChanged: !me.must_change_password,
    users: users.data?.items.length ?? 0,
    invitations: invitations.data?.items.length ?? 0,
    teams: own.length,
    keys: keys.data?.items.length ?? 0,
    rules: rules.data?.items.filter((rule) => rule.teams.some(({ id }) => own.includes(id))).length ?? 0,
  };
}
