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
};
const WHOLE: Record<string, string> = {
  sign_in: "signed in",
  sign_out: "signed out",
  me: "looked up themselves",
  why: "asked why about",
  invite: "invited",
};

/** "create_api_key" of "ci" reads "created API key". A read names what was looked at. */
export function verbOf(entry: Pick<Entry, "operation" | "kind">): string {
  const operation = entry.operation.split(".").at(-1) ?? entry.operation;
  const whole = WHOLE[operation];
  if (whole) return whole;
  const [verb = "", ...object] = operation.split("_");
  const past = PAST[verb];
  if (past) return [past, ...object].join(" ").replace("api key", "API key");
  const words = operation.replaceAll("_", " ").replace("api key", "API key");
  return entry.kind === "read" ? `read ${words}` : words;
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
