/** API keys: one's own, and for admins everyone's. The key itself is never here; only its first letters. */
import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePages } from "@/app/api/queries";
import { useIsAdmin } from "@/app/api/session";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import { Chip, Chips } from "@/components/Chip";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { ChoiceFilter, FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { Page } from "@/components/Page";
import { RowMenu } from "@/components/RowMenu";
import { Time } from "@/components/Time";
import type { ApiKey } from "@/gen/api";
import classes from "./ApiKeys.module.css";
import { Expiry } from "./expiry";
import { RevokeKey } from "./RevokeKey";

const name: Column<ApiKey> = {
  key: "name",
  title: "Name",
  sorts: true,
  cell: (apiKey) => (
    <span className={classes.name}>
      <span>{apiKey.name}</span>
      <code className="dim">{apiKey.prefix}…</code>
    </span>
  ),
};
const owner: Column<ApiKey> = {
  key: "owner",
  title: "Owner",
  width: "20%",
  wide: true,
  cell: (apiKey) => (
    <span className={classes.owner}>
      {apiKey.owner.name}
      {apiKey.owner_kind === "service_account" && <Chip>Service account</Chip>}
    </span>
  ),
};
const rest: readonly Column<ApiKey>[] = [
  {
    key: "scopes",
    title: "Scopes",
    width: "24%",
    wide: true,
    cell: (apiKey) =>
      apiKey.scopes === null ? "All its owner may do" : <Chips words={apiKey.scopes} most={2} mono />,
  },
  {
    key: "last_used",
    title: "Last used",
    width: "124px",
    sorts: true,
    wide: true,
    cell: (apiKey) => <Time at={apiKey.last_used} />,
  },
  { key: "expires", title: "Expires", width: "124px", cell: (apiKey) => <Expiry expires={apiKey.expires} /> },
];

export function ApiKeys() {
  const admin = useIsAdmin();
  const navigate = useNavigate();
  const { filters, change, any, clear } = useFilters<{
    search?: string;
    sort?: string;
    owner?: string;
    whose?: "all";
  }>();
  const { whose, ...asked } = filters;
  const listing = usePages("identity.api_keys", { limit: 50, ...asked, all: admin && whose === "all" });
  const [revoking, setRevoking] = useState<ApiKey>();
  const create = () => void navigate({ to: "/settings/api-keys/new", search: true });
  useShortcuts([{ keys: "c", says: "Create API key", group: "Lists", run: create }]);
  const everyone = admin && (whose === "all" || filters.owner !== undefined);
  return (
    <Page
      title="API keys"
      about="For the command line, scripts and other tools. A key acts as its owner, within its scopes."
      actions={<Button onClick={create}>Create API key</Button>}
    >
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search keys"
        />
        {admin && (
          <ChoiceFilter
            label="Mine"
            value={whose}
            onChange={(all) => change({ whose: all })}
            options={[{ value: "all", label: "Everyone's" }]}
          />
        )}
      </FilterBar>
      <DataList
        label="API keys"
        listing={listing}
        columns={everyone ? [name, owner, ...rest] : [name, ...rest]}
        idOf={(apiKey) => apiKey.id}
        sort={filters.sort}
        onSort={(sort) => change({ sort })}
        acts={(apiKey) => (
          <RowMenu of={apiKey.name} acts={[{ says: "Revoke", run: () => setRevoking(apiKey), harm: true }]} />
        )}
        empty={
          <EmptyState
            icon={<IconKey size={20} stroke={1.5} />}
            onClear={clear}
            title={any ? "No key matches" : "No API keys yet"}
            action={!any && <Button onClick={create}>Create API key</Button>}
          >
            A key signs in a tool in your place, or in that of a service account. It is shown once, and can be
            revoked at any time.
          </EmptyState>
        }
      />
      {revoking && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
      <Outlet />
    </Page>
  );
}
