/** Service accounts: keys for machines, independent of any person. */
import { Button } from "@mantine/core";
import { IconRobot } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePages } from "@/app/api/queries";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import { Named } from "@/components/Avatar";
import { Chips } from "@/components/Chip";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { Page } from "@/components/Page";
import { RowMenu } from "@/components/RowMenu";
import { Time } from "@/components/Time";
import type { ServiceAccount } from "@/gen/api";
import { roleName } from "../users/RolePicker";
import { RemoveServiceAccount } from "./RemoveServiceAccount";

const columns: readonly Column<ServiceAccount>[] = [
  { key: "name", title: "Name", sorts: true, cell: (account) => <Named name={account.name} square /> },
  { key: "role", title: "Role", width: "88px", cell: (account) => roleName(account.role) },
  {
    key: "teams",
    title: "Teams",
    width: "26%",
    wide: true,
    cell: (account) => <Chips words={account.teams.map((team) => team.name)} most={2} />,
  },
  {
    key: "keys",
    title: "Keys",
    width: "72px",
    align: "right",
    cell: (account) => <span className="tabular">{account.keys}</span>,
  },
  {
    key: "created",
    title: "Created",
    width: "136px",
    sorts: true,
    wide: true,
    cell: (account) => <Time at={account.created} />,
  },
];

export function ServiceAccounts() {
  const navigate = useNavigate();
  const { filters, change, any, clear } = useFilters<{ search?: string; sort?: string }>();
  const listing = usePages("identity.service_accounts", { limit: 50, ...filters });
  const [removing, setRemoving] = useState<ServiceAccount>();
  const create = () => void navigate({ to: "/settings/service-accounts/new", search: true });
  useShortcuts([{ keys: "c", says: "Create service account", group: "Lists", run: create }]);
  return (
    <Page
      title="Service accounts"
      about="For machines: they hold API keys, have a role and teams like users do, and outlive whoever made them."
      actions={<Button onClick={create}>Create service account</Button>}
    >
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search service accounts"
        />
      </FilterBar>
      <DataList
        label="Service accounts"
        listing={listing}
        columns={columns}
        idOf={(account) => account.id}
        open={(account) => ({
          to: "/settings/service-accounts/$id",
          params: { id: account.id },
          search: true,
        })}
        sort={filters.sort}
        onSort={(sort) => change({ sort })}
        acts={(account) => (
          <RowMenu
            of={account.name}
            acts={[{ says: "Remove", run: () => setRemoving(account), harm: true }]}
          />
        )}
        empty={
          <EmptyState
            icon={<IconRobot size={20} stroke={1.5} />}
            onClear={clear}
            title={any ? "No service account matches" : "No service accounts yet"}
            action={!any && <Button onClick={create}>Create service account</Button>}
          >
            Make one for each tool that calls the API, so that its key does not end with somebody's job.
          </EmptyState>
        }
      />
      {removing && <RemoveServiceAccount account={removing} onClose={() => setRemoving(undefined)} />}
      <Outlet />
    </Page>
  );
}
