/** What an audit entry says, in words; and its time range as a moment. Pure. */
import type { Entry } from "@/gen/api";

const PAST: Record<string, string> = {
  create: "created",
  change: "changed",
  remove: "removed",
  revoke: "revoked",
  reset: "reset",
  invite: "invited",
  withdraw: "withdrew",
  accept: "accepted",
  switch: "switched",
  end: "ended",
  redeem: "redeemed",
  replay: "replayed",
  export: "exported",
  verify: "verified",
  follow: "followed",
  sign: "signed",
  add: "added",
};
const OBJECTS: Record<string, string> = {
  verify: "the audit log",
  export: "the audit log",
  follow: "the audit log",
};

const WHOLE: Record<string, readonly [done: string, tried: string]> = {
  first_run: ["set up the installation", "tried to set up the installation"],
  redeem_link: ["signed in with a link", "tried to sign in with a link"],
  reset_by_email: ["reset the password of", "tried to reset the password of"],
  me: ["read their profile", "tried to read their profile"],
  why: ["asked why", "tried to ask why"],
};

/** Acts on oneself: whom they were done to need not be said again. */
const ON_ONESELF = new Set([
  "sign_in",
  "sign_out",
  "redeem_link",
  "first_run",
  "change_password",
  "change_profile",
  "me",
  "why",
]);

/** The name of what was acted on, unless the verb has said it all. */
export function objectOf(entry: Pick<Entry, "operation" | "resource_name">): string {
  return ON_ONESELF.has(operationOf(entry)) ? "" : entry.resource_name;
}

function operationOf(entry: Pick<Entry, "operation">): string {
  return entry.operation.split(".").at(-1) ?? entry.operation;
}

/** "create_api_key" reads "created API key", or "tried to create API key" when it did not work. */
export function verbOf(entry: Pick<Entry, "operation" | "kind" | "result">): string {
  const operation = operationOf(entry);
  const whole = WHOLE[operation];
  if (whole) return whole[entry.result === "ok" ? 0 : 1];
  const [verb = "", ...rest] = operation.split("_");
  const past = PAST[verb];
  const worked = entry.result === "ok";
  if (!past && entry.kind === "change") return `${worked ? "did" : "tried"} ${worded(operation)}`;
  if (!past) return `${worked ? "read" : "tried to read"} ${worded(operation)}`;
  const object = rest.length > 0 ? rest.join("_") : (OBJECTS[verb] ?? "");
  return `${worked ? past : `tried to ${verb}`} ${worded(object)}`.trim();
}

function worded(name: string): string {
  return name.replaceAll("_", " ").replace(/^api key/, "API key");
}

export const RANGES = [
  { value: "1h", label: "Last hour", seconds: 3600 },
  { value: "24h", label: "Last 24 hours", seconds: 86_400 },
  { value: "7d", label: "Last 7 days", seconds: 7 * 86_400 },
  { value: "30d", label: "Last 30 days", seconds: 30 * 86_400 },
] as const;

/** Where a range begins, on a whole minute, so that asking again within it asks the same. */
export function beginningOf(range: string | undefined, now: number): string {
  const found = RANGES.find((one) => one.value === range);
  if (!found) return "";
  return new Date(Math.floor(now / 60_000) * 60_000 - found.seconds * 1000).toISOString();
}
