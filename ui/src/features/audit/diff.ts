/** What changed between two JSON values, path by path; lists of things with ids are compared by id. Pure. */

export interface Change {
  path: string;
  kind: "added" | "removed" | "changed" | "same";
  before?: unknown;
  after?: unknown;
}

export function changes(before: unknown, after: unknown): Change[] {
  const found: Change[] = [];
  compare("", before ?? undefined, after ?? undefined, found);
  return found;
}

function compare(path: string, before: unknown, after: unknown, found: Change[]): void {
  const one = partsOf(before);
  const other = partsOf(after);
  if (one && other) {
    for (const key of new Set([...one.keys(), ...other.keys()])) {
      compare(joined(path, key), one.get(key), other.get(key), found);
    }
  } else if (one && after === undefined) {
    for (const [key, value] of one) compare(joined(path, key), value, undefined, found);
  } else if (other && before === undefined) {
    for (const [key, value] of other) compare(joined(path, key), undefined, value, found);
  } else if (before !== undefined || after !== undefined) {
    found.push({ path: path || "value", kind: kindOf(before, after), before, after });
  }
}

function kindOf(before: unknown, after: unknown): Change["kind"] {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  return JSON.stringify(before) === JSON.stringify(after) ? "same" : "changed";
}

/** The named parts of an object or list; a list of plain words is compared as one, by its words. */
function partsOf(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    return new Map(value.map((item, index) => [`[${nameOf(item, index)}]`, item]));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    return entries.length > 0 ? new Map(entries) : undefined;
  }
  return undefined;
}

function nameOf(item: unknown, index: number): string {
  if (typeof item === "string") return item;
  if (typeof item === "object" && item !== null) {
    const named = item as Record<string, unknown>;
    const name = named.name ?? named.id;
    if (typeof name === "string") return name;
  }
  return String(index);
}

function joined(path: string, key: string): string {
  if (key.startsWith("[")) return `${path}${key}`;
  return path ? `${path}.${key}` : key;
}
