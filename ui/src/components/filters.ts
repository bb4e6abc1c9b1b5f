/**
 * The filters of a list as they stand in its URL: a link to a filtered list shows the same to somebody else.
 * A specification says which names there are; what the URL says beyond that, or wrongly, is dropped.
 */
import { useNavigate, useSearch } from "@tanstack/react-router";

export type Spec = Record<string, "text" | readonly string[]>;
export type Filters<S extends Spec> = {
  [N in keyof S]?: S[N] extends readonly (infer Word)[] ? Word : string;
};

export function filtersOf<const S extends Spec>(spec: S) {
  return (raw: Record<string, unknown>): Filters<S> => {
    const found: Record<string, string> = {};
    for (const [name, allowed] of Object.entries(spec)) {
      const value = raw[name];
      if (typeof value !== "string" && typeof value !== "number") continue;
      const word = String(value).slice(0, 200);
      if (word !== "" && (allowed === "text" || allowed.includes(word))) found[name] = word;
    }
    return found as Filters<S>;
  };
}

/** The filters after a change; what is empty leaves the URL. */
export function changed(
  filters: Record<string, unknown>,
  change: Record<string, string>,
): Record<string, unknown> {
  const merged = { ...filters, ...change };
  return Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== "" && value !== undefined),
  );
}

/** The same column again turns the order around; a third time goes back to the list's own order. */
export function nextSort(sort: string, column: string): string {
  if (sort === column) return `-${column}`;
  return sort === `-${column}` ? "" : column;
}

export function useFilters<F extends Record<string, string | undefined>>() {
  const search: unknown = useSearch({ strict: false });
  const filters = search as F;
  const navigate = useNavigate();
  function change(next: Partial<Record<keyof F, string>>) {
    void navigate({
      to: ".",
      search: (before) => changed(before, next as Record<string, string>) as typeof before,
      replace: true,
      resetScroll: false,
    });
  }
  const narrowing = Object.keys(filters).filter((name) => name !== "sort");
  const any = narrowing.length > 0;
  /** Back to everything, in the same order; nothing while nothing is left out. */
  const clear = any
    ? () => change(Object.fromEntries(narrowing.map((name) => [name, ""])) as never)
    : undefined;
  return { filters, change, any, clear };
}
