/** Scopes as a person chooses them: by resource, reading before writing, each with what it allows. Pure. */
import { groupedBy } from "@/components/groupedBy";
import type { ScopeInfo } from "@/gen/api";

export interface ScopeGroup {
  resource: string;
  title: string;
  scopes: readonly { name: string; verb: string; allows: string }[];
}

const ORDER = ["", "read", "write"];

export function grouped(scopes: readonly ScopeInfo[]): ScopeGroup[] {
  const groups = groupedBy(scopes, (scope) => scope.name.split(":", 1)[0] ?? "");
  return [...groups].map(([resource, own]) => ({
    resource,
    title: titleOf(resource),
    scopes: own
      .map(({ name, allows }) => ({ name, verb: name.slice(resource.length + 1), allows }))
      .sort((one, other) => rank(one.verb) - rank(other.verb)),
  }));
}

/** What is left to choose when something wider is chosen already. */
export function covered(name: string, chosen: readonly string[]): boolean {
  const resource = name.split(":", 1)[0] ?? "";
  return name !== resource && chosen.includes(resource);
}

export function readOnly(scopes: readonly ScopeInfo[]): string[] {
  return scopes.map((scope) => scope.name).filter((name) => name.endsWith(":read"));
}

export function verbShown(verb: string): string {
  if (verb === "") return "Everything";
  const words = verb.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function titleOf(resource: string): string {
  const words = resource.replaceAll(/[-_]/g, " ").replace(/^api /, "API ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function rank(verb: string): number {
  const at = ORDER.indexOf(verb);
  return at < 0 ? ORDER.length : at;
}
