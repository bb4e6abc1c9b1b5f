/** What can be asked for as an operation: every one that has a route, and the ways in, which the gateway takes. Pure. */
import { routes } from "@/gen/api";

const WAYS_IN = ["sign_in", "redeem_link", "accept_invitation", "first_run", "reset_by_email"];

export function operationsOf(kind: "read" | "all" | undefined): { value: string; label: string }[] {
  const found = Object.entries(routes)
    .filter(([, { method }]) => kind === "all" || (method === "GET") === (kind === "read"))
    .map(([name]) => name.split(".").at(-1) ?? name);
  const all = new Set(kind === "read" ? found : [...found, ...WAYS_IN]);
  return [...all].sort().map((value) => ({ value, label: value.replaceAll("_", " ") }));
}
