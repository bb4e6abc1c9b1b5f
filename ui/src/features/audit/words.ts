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
};
const OBJECTS: Record<string, string> = {
  verify: "the audit log",
  export: "the audit log",
  follow: "the audit log",
};

/** "create_api_key" reads "created API key", or "tried to create API key" when it did not work. */
export function verbOf(entry: Pick<Entry, "operation" | "kind" | "result">): string {
  const operation = entry.operation.split(".").at(-1) ?? entry.operation;
  const [verb = "", ...rest] = operation.split("_");
  const past = PAST[verb];
  const worked = entry.result === "ok";
  if (!past) return `${worked ? "read" : "tried to read"} ${worded(operation)}`;
  const object = rest.length > 0 ? rest.join("_") : (OBJECTS[verb] ?? "");
  return `${worked ? past : `tried to ${verb}`} ${worded(object)}`.trim();
}

function worded(name: string): string {
  return name
    .replaceAll("_", " ")
    .replace(/^api key/, "API key")
    .replace(/^me$/, "their profile");
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
