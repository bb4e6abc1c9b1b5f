/** Who administers the installation. There is always one left who can sign in; the server sees to that too. */
import { Button } from "@mantine/core";
import { IconUserShield } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePages } from "@/app/api/queries";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import { Named } from "@/components/Avatar";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { Page } from "@/components/Page";
import { RowMenu } from "@/components/RowMenu";
import { StatusMark } from "@/components/StatusMark";
import { Time } from "@/components/Time";
import type { Administrator } from "@/gen/api";
import { UserStatus } from "../users/Users";
import classes from "./Administrators.module.css";
import { lastOne } from "./lastOne";
import { RemoveAdministrator } from "./RemoveAdministrator";

const columns: readonly Column<Administrator>[] = [
  {
    key: "name",
    title: "Name",
    sorts: true,
    cell: (one) => <Named name={one.name} below={one.email} />,
  },
  { key: "status", title: "Status", width: "136px", cell: (one) => <UserStatus status={one.status} /> },
  {
    key: "last_seen",
    title: "Last seen",
    width: "136px",
    sorts: true,
    wide: true,
    cell: (one) => <Time at={one.last_seen} />,
  },
];

export function Administrators() {
  const navigate = useNavigate();
  const { filters, change, clear } = useFilters<{ search?: string; sort?: string }>();
  const listing = usePages("identity.administrators", { limit: 50, ...filters });
  const [removing, setRemoving] = useState<Administrator>();
  const add = () => void navigate({ to: "/settings/administrators/new", search: true });
  useShortcuts([{ keys: "c", says: "Add administrator", group: "Lists", run: add }]);
  const whole = !filters.search && !listing.more && !listing.refreshing;
  const last = whole ? lastOne(listing.items) : undefined;
  return (
    <Page
      title="Administrators"
      about="They create accounts, appoint each other, and see the state of the services. Into an account they get only as its users."
      actions={<Button onClick={add}>Add administrator</Button>}
    >
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search administrators"
        />
      </FilterBar>
      {last && (
        <div className={classes.alone}>
          <StatusMark tone="warn">
            Only {last.email} can administer this installation. Add a second one, so that nobody is locked
            out.
          </StatusMark>
        </div>
      )}
      <DataList
        label="Administrators"
        listing={listing}
        columns={columns}
        idOf={(one) => one.id}
        sort={filters.sort}
        onSort={(sort) => change({ sort })}
        acts={(one) =>
          one.id === last?.id ? null : (
            <RowMenu of={one.name} acts={[{ says: "Remove", run: () => setRemoving(one), harm: true }]} />
          )
        }
        empty={
          <EmptyState icon={<IconUserShield size={20} stroke={1.5} />} onClear={clear} title="Nobody matches">
            No administrator has that name or e-mail.
          </EmptyState>
        }
      />
      {removing && <RemoveAdministrator administrator={removing} onClose={() => setRemoving(undefined)} />}
      <Outlet />
    </Page>
  );
}
