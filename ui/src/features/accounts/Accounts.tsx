/** All accounts of the installation, for its administrators. What is inside one is for those who belong to it. */
import { Button } from "@mantine/core";
import { IconBuildings } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { usePages } from "@/app/api/queries";
import { useMe } from "@/app/api/session";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import { useSwitchAccount } from "@/app/shell/useSwitchAccount";
import { Named } from "@/components/Avatar";
import { Chip } from "@/components/Chip";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { Page } from "@/components/Page";
import { RowMenu } from "@/components/RowMenu";
import { Time } from "@/components/Time";
import type { Account } from "@/gen/api";

const columns: readonly Column<Account>[] = [
  { key: "name", title: "Name", sorts: true, cell: (account) => <Called account={account} /> },
  {
    key: "time_zone",
    title: "Time zone",
    width: "22%",
    wide: true,
    cell: (account) => <span className="dim">{account.time_zone}</span>,
  },
  {
    key: "users",
    title: "Users",
    width: "96px",
    align: "right",
    cell: (account) => <span className="tabular">{account.users}</span>,
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

function Called({ account }: { account: Account }) {
  const here = useMe().account.id === account.id;
  return (
    <span style={{ display: "flex", alignItems: "center", gap: 8 }}>
      <Named name={account.name} square />
      {here && <Chip>You are here</Chip>}
    </span>
  );
}

export function Accounts() {
  const me = useMe();
  const navigate = useNavigate();
  const switchTo = useSwitchAccount();
  const { filters, change, clear } = useFilters<{ search?: string; sort?: string }>();
  const listing = usePages("identity.accounts", { limit: 50, ...filters });
  const create = () => void navigate({ to: "/settings/accounts/new", search: true });
  useShortcuts([{ keys: "c", says: "Create account", group: "Lists", run: create }]);
  const mine = new Set(me.accounts.map(({ id }) => id));
  return (
    <Page
      title="Accounts"
      about="Each account has users, teams, keys and rules of its own, and sees nothing of the others."
      actions={<Button onClick={create}>Create account</Button>}
    >
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search accounts"
        />
      </FilterBar>
      <DataList
        label="Accounts"
        listing={listing}
        columns={columns}
        idOf={(account) => account.id}
        sort={filters.sort}
        onSort={(sort) => change({ sort })}
        acts={(account) =>
          mine.has(account.id) && account.id !== me.account.id ? (
            <RowMenu
              of={account.name}
              acts={[{ says: "Switch to this account", run: () => void switchTo(account.id) }]}
            />
          ) : null
        }
        empty={
          <EmptyState
            icon={<IconBuildings size={20} stroke={1.5} />}
            onClear={clear}
            title="No account matches"
          >
            No account of this installation has that name.
          </EmptyState>
        }
      />
      <Outlet />
    </Page>
  );
}
