/** The teams of the account: who access is given to. */
import { Button } from "@mantine/core";
import { IconUsersGroup } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePages } from "@/app/api/queries";
import { useIsAdmin } from "@/app/api/session";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import { Named } from "@/components/Avatar";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { Page } from "@/components/Page";
import { RowMenu } from "@/components/RowMenu";
import { Time } from "@/components/Time";
import type { Team } from "@/gen/api";
import { RemoveTeam } from "./RemoveTeam";

const columns: readonly Column<Team>[] = [
  {
    key: "name",
    title: "Name",
    width: "30%",
    sorts: true,
    cell: (team) => <Named name={team.name} square />,
  },
  {
    key: "description",
    title: "Description",
    wide: true,
    cell: (team) => <span className="dim">{team.description}</span>,
  },
  {
    key: "members",
    title: "Members",
    width: "88px",
    align: "right",
    cell: (team) => <span className="tabular">{team.members}</span>,
  },
  {
    key: "created",
    title: "Created",
    width: "136px",
    sorts: true,
    wide: true,
    cell: (team) => <Time at={team.created} />,
  },
];

export function Teams() {
  const admin = useIsAdmin();
  const navigate = useNavigate();
  const { filters, change, any, clear } = useFilters<{ search?: string; sort?: string }>();
  const listing = usePages("identity.teams", { limit: 50, ...filters });
  const [removing, setRemoving] = useState<Team>();
  const create = () => void navigate({ to: "/settings/teams/new", search: true });
  useShortcuts(admin ? [{ keys: "c", says: "Create team", group: "Lists", run: create }] : []);
  return (
    <Page
      title="Teams"
      about="Access rules speak of teams, so that access follows people when they move."
      actions={admin && <Button onClick={create}>Create team</Button>}
    >
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search teams"
        />
      </FilterBar>
      <DataList
        label="Teams"
        listing={listing}
        columns={columns}
        idOf={(team) => team.id}
        open={(team) => ({ to: "/settings/teams/$id", params: { id: team.id }, search: true })}
        sort={filters.sort}
        onSort={(sort) => change({ sort })}
        acts={
          admin
            ? (team) =>
                team.everyone ? null : (
                  <RowMenu
                    of={team.name}
                    acts={[{ says: "Remove team", run: () => setRemoving(team), harm: true }]}
                  />
                )
            : undefined
        }
        empty={
          <EmptyState
            icon={<IconUsersGroup size={20} stroke={1.5} />}
            onClear={clear}
            title={any ? "No team matches" : "No teams yet"}
            action={!any && admin && <Button onClick={create}>Create team</Button>}
          >
            A team is a group of users. Give access to the team, and whoever joins it has it.
          </EmptyState>
        }
      />
      {removing && <RemoveTeam team={removing} onClose={() => setRemoving(undefined)} />}
      <Outlet />
    </Page>
  );
}
