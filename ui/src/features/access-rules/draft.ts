/** An access rule while it is being written, and the plain sentence that says what it grants. Pure. */
import type { AccessRule, EntityVocabulary, NamedRef, RuleCondition } from "@/gen/api";

export interface Draft {
  name: string;
  entity: string;
  teams: string[];
  actions: string[];
  conditions: Condition[];
  tags: string[];
  tag_logic: "any" | "all";
  /** Whose tags count: a related thing's (a pipeline's project), or its own when empty. */
  related_resource: string;
  enabled: boolean;
}

export type KnownTeam = NamedRef & { everyone?: boolean };
export type Condition = Required<RuleCondition>;

export const LABEL = "LABEL";
export const EMPTY: Draft = {
  name: "",
  entity: "",
  teams: [],
  actions: [],
  conditions: [],
  tags: [],
  tag_logic: "any",
  related_resource: "",
  enabled: true,
};

export function draftOf(rule: AccessRule): Draft {
  return {
    name: rule.name,
    entity: rule.entity,
    teams: rule.teams.map((team) => team.id),
    actions: rule.actions,
    conditions: rule.conditions.map((condition) => ({ ...condition, key: condition.key ?? "" })),
    tags: rule.tags,
    tag_logic: rule.tag_logic,
    related_resource: rule.related_resource,
    enabled: rule.enabled,
  };
}

/** A condition that is still empty is no condition. */
export function complete(conditions: readonly Condition[]): Condition[] {
  return conditions.filter(
    ({ attribute, values, key }) => values.length > 0 && (attribute !== LABEL || key !== ""),
  );
}

export function sentenceOf(
  draft: Draft,
  teams: readonly KnownTeam[],
  entity: EntityVocabulary | undefined,
): string {
  const thing = (entity?.title || entity?.name || "…").toLowerCase();
  if (draft.teams.length === 0 || draft.actions.length === 0) return unfinished(draft, thing);
  const names = draft.teams.map((id) => teams.find((team) => team.id === id)?.name ?? "…");
  const all = teams.some((team) => team.everyone && draft.teams.includes(team.id));
  const who = all ? "everybody" : `members of ${listed(names, "and")}`;
  const what = listed(draft.actions.map(phraseOf), "and");
  const which = narrowed(draft, entity);
  const off = draft.enabled ? "" : " Switched off: it grants nothing now.";
  return `On ${which ? `${thing}${which}` : `all ${thing}`}, ${who} may ${what}.${off}`;
}

/** What is still to be chosen before there is something to grant. */
function unfinished({ teams, actions }: Draft, thing: string): string {
  const missing = [teams.length === 0 && "teams", actions.length === 0 && "actions"].filter(
    (one) => one !== false,
  );
  return `Choose ${listed(missing, "and")}: so far this rule grants nothing on ${thing}.`;
}

function narrowed(draft: Draft, entity: EntityVocabulary | undefined): string {
  if (entity?.tagged) return tagged(draft);
  const parts = complete(draft.conditions).map(({ attribute, values, key }) => {
    const name = attribute === LABEL ? `label ${key}` : attributeShown(attribute);
    return `${name} is ${listed(values, "or")}`;
  });
  return parts.length > 0 ? ` whose ${parts.join(" and whose ")}` : "";
}

function tagged({ tags, tag_logic, related_resource }: Draft): string {
  if (tags.length === 0 || tags.includes("*")) return "";
  const whose = related_resource ? ` whose ${attributeShown(related_resource)} has` : " with";
  const words = tags.map((tag) => (tag === "untagged" ? "no tag" : tag));
  if (words.length === 1) return `${whose} ${tags[0] === "untagged" ? "no tag" : `the tag ${words[0]}`}`;
  const how =
    tag_logic === "all"
      ? `all of the tags ${listed(words, "and")}`
      : `any of the tags ${listed(words, "or")}`;
  return `${whose} ${how}`;
}

export function listed(words: readonly string[], joint: "and" | "or"): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1)}`;
}

/** What reads badly when only its underscores go. */
const PHRASES: Record<string, string> = {
  APP_ROLLBACK: "roll back",
  TERMINATE_SYNC: "stop syncs",
  DELETE_RESOURCE: "delete resources",
  EXEC_TO_POD: "open shells in pods",
  ROLLOUT_PROMOTE_FULL: "promote rollouts fully",
  ROLLOUT_SKIP_CURRENT_STEP: "skip rollout steps",
  PROMOTE_TO: "promote to them",
};

function phraseOf(action: string): string {
  const rollout = /^ROLLOUT_([A-Z]+)$/.exec(action)?.[1];
  return PHRASES[action] ?? (rollout ? `${rollout.toLowerCase()} rollouts` : actionShown(action));
}

export function actionShown(action: string): string {
  return action.toLowerCase().replaceAll("_", " ");
}

export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function attributeShown(attribute: string): string {
  return attribute.toLowerCase().replaceAll(/[_-]/g, " ");
}
