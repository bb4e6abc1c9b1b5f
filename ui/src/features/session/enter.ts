/** After a session began: a fresh page, so that nothing of an earlier session stays in memory. */
import type { LoggedIn } from "@/gen/api";

export function enter(answer: LoggedIn, next: string | undefined): void {
  window.location.replace(answer.must_change_password ? "/password" : insidePath(next));
}

/** Only a path of our own origin: a link may not send a person who just signed in somewhere else. */
export function insidePath(next: string | undefined): string {
  if (!next?.startsWith("/") || next.startsWith("//") || next.includes("\\")) return "/";
  const url = new URL(next, "http://inside.invalid");
  return url.host === "inside.invalid" ? url.pathname + url.search + url.hash : "/";
}

/** A token from the fragment (never sent to a server) or the query; it leaves the address bar at once. */
export function takeToken(name: string): string {
  const { hash, search, pathname } = window.location;
  const behindHash = new URLSearchParams(hash.slice(1));
  const token =
    behindHash.get(name) ?? behindHash.get("token") ?? new URLSearchParams(search).get("token") ?? "";
  if (token) window.history.replaceState(null, "", pathname);
  return token.replace(/^"|"$/g, "");
}
