/** The audit log: newest first, filtered in the URL, followed live, exported, verified. */
import { Button, Menu } from "@mantine/core";
import { IconDownload, IconHistory } from "@tabler/icons-react";
import { Outlet } from "@tanstack/react-router";
import { useState } from "react";
import { usePages } from "@/app/api/queries";
import { useMe } from "@/app/api/session";
import { Chip } from "@/components/Chip";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { ChoiceFilter, DayFilter, FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import type { Entry } from "@/gen/api";
import classes from "./Audit.module.css";
import { LiveButton } from "./LiveButton";
import { operationsOf } from "./operations";
import { type AuditFilters, exportUrl, questionOf } from "./question";
import { ResultMark } from "./ResultMark";
import { Retention } from "./Retention";
import { useFollow } from "./useFollow";
import { Verify } from "./Verify";
import { objectOf, RANGES, verbOf } from "./words";

const columns: readonly Column<Entry>[] = [
  {
    key: "what",
    title: "What",
    cell: (entry) => (
      <span className={classes.what}>
        {entry.actor.name || "Somebody unknown"} <span className={classes.verb}>{verbOf(entry)}</span>{" "}
        {objectOf(entry)}
        <span className={classes.when}>
          <Time at={entry.time} />
        </span>
      </span>
    ),
  },
  {
    key: "resource",
    title: "Kind",
    width: "136px",
    wide: true,
    cell: (entry) => <Chip mono>{entry.resource}</Chip>,
  },
  { key: "result", title: "Result", width: "96px", cell: (entry) => <ResultMark result={entry.result} /> },
  {
    key: "remote",
    title: "From",
    width: "144px",
    wide: true,
    cell: (entry) => <span className="mono dim">{entry.remote}</span>,
  },
  { key: "time", title: "When", width: "124px", wide: true, cell: (entry) => <Time at={entry.time} /> },
];

const RESOURCES = [
  "user",
  "invitation",
  "team",
  "service-account",
  "api-key",
  "access-rule",
  "session",
  "account",
  "schedule",
  "audit-settings",
  "dead-letter",
  "administrator",
];

export function Audit() {
  const me = useMe();
  const { filters, change, any, clear } = useFilters<AuditFilters>();
  const [opened] = useState(Date.now);
  const zone = me.time_zone || "UTC";
  const query = questionOf(filters, opened, zone);
  const listing = usePages("audit.entries", { ...query, limit: 50 });
  const following = filters.live === "on" && filters.log === undefined;
  const { fresh, state } = useFollow(following, query);
  const known = new Set(listing.items.map((entry) => entry.id));
  const items = [...fresh.filter((entry) => !known.has(entry.id)), ...listing.items];
  return (
    <Page
      title="Audit log"
      about="Who did what, from where, with what result. Entries are chained, so that a later change to any of them shows."
      actions={
        <>
          <Retention />
          <Verify installation={filters.log === "installation"} />
          <ExportMenu hrefOf={(format) => exportUrl(filters, format, opened, zone)} />
          <LiveButton
            state={state}
            on={filters.live === "on"}
            onChange={(on) => change({ live: on ? "on" : "" })}
          />
        </>
      }
    >
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search who and what"
        />
        <ChoiceFilter
          label="Changes"
          value={filters.kind}
          onChange={(kind) => change({ kind, operation: "" })}
          options={[
            { value: "read", label: "Reads" },
            { value: "all", label: "Both" },
          ]}
        />
        <ChoiceFilter
          label="Any result"
          value={filters.result}
          onChange={(result) => change({ result })}
          options={[
            { value: "ok", label: "Done" },
            { value: "denied", label: "Denied" },
            { value: "failed", label: "Failed" },
          ]}
        />
        <ChoiceFilter
          label="Any kind"
          value={filters.resource}
          onChange={(resource) => change({ resource })}
          options={RESOURCES.map((resource) => ({ value: resource, label: resource.replaceAll("-", " ") }))}
          searchable
        />
        <ChoiceFilter
          label="Any operation"
          value={filters.operation}
          onChange={(operation) => change({ operation })}
          options={operationsOf(filters.kind)}
          searchable
        />
        <ChoiceFilter
          label="Any time"
          value={filters.range}
          onChange={(range) => change({ range, from: "", to: "" })}
          options={[...RANGES, { value: "custom", label: "Custom…" }]}
        />
        {filters.range === "custom" && (
          <>
            <DayFilter
              label="From"
              value={filters.from ?? ""}
              onChange={(from) => change({ from })}
              latest={filters.to}
            />
            <DayFilter
              label="To"
              value={filters.to ?? ""}
              onChange={(to) => change({ to })}
              earliest={filters.from}
            />
          </>
        )}
        {me.platform_admin && (
          <ChoiceFilter
            label="This account"
            value={filters.log}
            onChange={(log) => change({ log })}
            options={[{ value: "installation", label: "No account" }]}
          />
        )}
        {filters.actor && <Chip>By one user</Chip>}
        {filters.resource_id && <Chip>About one thing</Chip>}
      </FilterBar>
      <DataList
        label="Audit entries"
        dense
        listing={{ ...listing, items }}
        columns={columns}
        idOf={(entry) => entry.id}
        open={(entry) => ({ to: "/settings/audit/$id", params: { id: entry.id }, search: true })}
        empty={
          <EmptyState
            icon={<IconHistory size={20} stroke={1.5} />}
            onClear={clear}
            title={any ? "No entry matches" : "Nothing has happened yet"}
          >
            {any
              ? "Widen the time or clear the filters."
              : "Every change in this account will be written here within a second."}
          </EmptyState>
        }
      />
      <Outlet />
    </Page>
  );
}

function ExportMenu({ hrefOf }: { hrefOf: (format: "csv" | "jsonl") => string }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>What the filters show, all of it</Menu.Label>
        <Menu.Item component="a" href={hrefOf("csv")} download>
          CSV
        </Menu.Item>
        <Menu.Item component="a" href={hrefOf("jsonl")} download>
          JSON lines
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
