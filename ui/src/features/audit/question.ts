/** From the filters in the URL to what the server is asked, for the list, the export and the live view. Pure. */

import { queryString } from "@/app/api/client";
import { dayBegins } from "@/components/days";
import type { AuditQuery, Entry, ExportQuery } from "@/gen/api";
import { beginningOf } from "./words";

export interface AuditFilters extends Record<string, string | undefined> {
  search?: string;
  /** Nothing means changes: reads are many and seldom what one looks for. */
  kind?: "read" | "all";
  result?: "ok" | "denied" | "failed";
  resource?: string;
  resource_id?: string;
  actor?: string;
  operation?: string;
  range?: string;
  /** Days in the reader's time zone, both included; they count while `range` is "custom". */
  from?: string;
  to?: string;
  /** The entries that belong to no account, for platform admins. */
  log?: "installation";
  live?: "on";
}

export function questionOf(filters: AuditFilters, now: number, zone: string): AuditQuery {
  const { kind, range, from = "", to = "", log, live: _, ...rest } = filters;
  const custom = range === "custom";
  const since = custom ? dayBegins(from, zone) : beginningOf(range, now);
  const until = custom ? dayBegins(to, zone, 1) : "";
  const installation = log === "installation";
  return {
    ...rest,
    kind: kind === "all" ? "" : (kind ?? "change"),
    ...(since && { since }),
    ...(until && { until }),
    ...(installation && { installation }),
  };
}

export function exportUrl(filters: AuditFilters, format: "csv" | "jsonl", now: number, zone: string): string {
  const { limit: _, after: __, ...rest } = questionOf(filters, now, zone);
  return `/api/audit/export${queryString({ format, ...rest } satisfies ExportQuery)}`;
}

/** Whether a sealed entry belongs in the view that these filters show. */
export function matches(entry: Entry, query: AuditQuery): boolean {
  const found = query.search?.toLowerCase() ?? "";
  const searched = [entry.actor.name, entry.resource_name, entry.resource_id, entry.operation];
  return (
    same(query.kind, entry.kind) &&
    same(query.result, entry.result) &&
    same(query.resource, entry.resource) &&
    same(query.resource_id, entry.resource_id) &&
    same(query.actor, entry.actor.id) &&
    same(query.operation, entry.operation) &&
    (!query.since || Date.parse(entry.time) >= Date.parse(query.since)) &&
    (!query.until || Date.parse(entry.time) < Date.parse(query.until)) &&
    searched.some((text) => text.toLowerCase().includes(found))
  );
}

function same(wanted: string | undefined, found: string): boolean {
  return !wanted || wanted === found;
}
