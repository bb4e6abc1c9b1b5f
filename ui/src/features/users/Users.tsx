/** The users of the account. A row opens the user beside the list; admins add, change and remove. */
import { Button } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAnswer, usePages } from "@/app/api/queries";
import { useIsAdmin, useMe } from "@/app/api/session";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import { Named } from "@/components/Avatar";
import { Chips } from "@/components/Chip";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { ChoiceFilter, FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { LinkButton } from "@/components/LinkButton";
import { Page } from "@/components/Page";
import { RowMenu } from "@/components/RowMenu";
import { StatusMark, type Tone } from "@/components/StatusMark";
import { Time } from "@/components/Time";
import type { User } from "@/gen/api";
import { DisableUser, useEnableUser } from "./DisableUser";
import { RemoveUser } from "./RemoveUser";
import { ResetPassword } from "./ResetPassword";
import { roleName } from "./RolePicker";
import { UserTabs } from "./UserTabs";

const tones: Record<User["status"], [Tone, string]> = {
  active: ["ok", "Active"],
  invited: ["info", "Invited"],
  disabled: ["idle", "Disabled"],
};

export function UserStatus({ status }: { status: User["status"] }) {
  const [tone, word] = tones[status];
  return <StatusMark tone={tone}>{word}</StatusMark>;
}

const columns: readonly Column<User>[] = [
  {
    key: "name",
    title: "Name",
    sorts: true,
    cell: (user) => <Named name={user.name || user.email} below={user.email} />,
  },
  { key: "role", title: "Role", width: "88px", cell: (user) => roleName(user.role) },
  {
    key: "teams",
    title: "Teams",
    width: "26%",
    wide: true,
    cell: (user) => <Chips words={user.teams.map((team) => team.name)} most={2} />,
  },
  {
    key: "status",
    title: "Status",
    width: "112px",
    wide: true,
    cell: (user) => <UserStatus status={user.status} />,
  },
  {
    key: "last_seen",
    title: "Last seen",
    width: "136px",
    sorts: true,
    wide: true,
    cell: (user) => <Time at={user.last_seen} />,
  },
];

export function Users() {
  const admin = useIsAdmin();
  const me = useMe();
  const { filters, change, clear } = useFilters<{
    search?: string;
    sort?: string;
    team?: string;
    role?: "admin" | "user";
  }>();
  const listing = usePages("identity.users", { limit: 50, ...filters });
  const teams = useAnswer("identity.teams", { limit: 200 });
  const [asked, setAsked] = useState<{ act: "remove" | "reset" | "disable"; user: User }>();
  const enable = useEnableUser();
  const create = useNewUser();
  return (
    <Page
      title="Users"
      about="Everybody who can sign in to this account. One person can belong to several accounts."
      actions={
        admin && (
          <>
            <LinkButton variant="default" to="/settings/users/invitations/new">
              Invite somebody
            </LinkButton>
            <Button onClick={create}>Create user</Button>
          </>
        )
      }
    >
      {admin && <UserTabs />}
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search names and e-mails"
        />
        <ChoiceFilter
          label="Role"
          value={filters.role}
          onChange={(role) => change({ role })}
          options={[
            { value: "admin", label: "Admin" },
            { value: "user", label: "User" },
          ]}
        />
        <ChoiceFilter
          label="Team"
          value={filters.team}
          onChange={(team) => change({ team })}
          options={(teams.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          searchable
        />
      </FilterBar>
      <DataList
        label="Users"
        listing={listing}
        columns={columns}
        idOf={(user) => user.id}
        open={(user) => ({ to: "/settings/users/$id", params: { id: user.id }, search: true })}
        sort={filters.sort}
        onSort={(sort) => change({ sort })}
        acts={
          admin
            ? (user) =>
                user.id === me.id ? null : (
                  <RowMenu
                    of={user.name || user.email}
                    acts={[
                      { says: "Reset password", run: () => setAsked({ act: "reset", user }) },
                      user.status === "disabled"
                        ? { says: "Enable", run: () => void enable(user) }
                        : { says: "Disable", run: () => setAsked({ act: "disable", user }) },
                      {
                        says: "Remove from account",
                        run: () => setAsked({ act: "remove", user }),
                        harm: true,
                      },
                    ]}
                  />
                )
            : undefined
        }
        empty={<NoUsers onClear={clear} />}
      />
      {asked?.act === "remove" && <RemoveUser user={asked.user} onClose={() => setAsked(undefined)} />}
      {asked?.act === "disable" && <DisableUser user={asked.user} onClose={() => setAsked(undefined)} />}
      {asked?.act === "reset" && <ResetPassword user={asked.user} onClose={() => setAsked(undefined)} />}
      <Outlet />
    </Page>
  );
}

function useNewUser() {
  const navigate = useNavigate();
  const admin = useIsAdmin();
  const create = () => void navigate({ to: "/settings/users/new", search: true });
  useShortcuts(admin ? [{ keys: "c", says: "Create user", group: "Lists", run: create }] : []);
  return create;
}

function NoUsers({ onClear }: { onClear?: () => void }) {
  const filtered = onClear !== undefined;
  return (
    <EmptyState
      icon={<IconUsers size={20} stroke={1.5} />}
      onClear={onClear}
      title={filtered ? "Nobody matches" : "Only you are here"}
      action={<LinkButton to="/settings/users/invitations/new">Invite somebody</LinkButton>}
    >
      {filtered
        ? "No user of this account has that name, role and team."
        : "Users sign in and do what access rules grant to their teams."}
    </EmptyState>
  );
}
