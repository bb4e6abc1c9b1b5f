/** Who has been asked to join and has not answered yet. */
import { Button } from "@mantine/core";
import { IconMailForward } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct, usePages } from "@/app/api/queries";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import { Chips } from "@/components/Chip";
import { Confirm } from "@/components/Confirm";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { Page } from "@/components/Page";
import { RowMenu } from "@/components/RowMenu";
import { Time } from "@/components/Time";
import { toast } from "@/components/toasts";
import type { Invitation } from "@/gen/api";
import { roleName } from "./RolePicker";
import { UserTabs } from "./UserTabs";

const columns: readonly Column<Invitation>[] = [
  {
    key: "email",
    title: "E-mail",
    cell: (invitation) => <strong style={{ fontWeight: 500 }}>{invitation.email}</strong>,
  },
  { key: "role", title: "Role", width: "64px", cell: (invitation) => roleName(invitation.role) },
  {
    key: "teams",
    title: "Teams",
    width: "22%",
    wide: true,
    cell: (invitation) => <Chips words={invitation.teams.map((team) => team.name)} most={2} />,
  },
  {
    key: "invited_by",
    title: "Invited by",
    width: "18%",
    wide: true,
    cell: (invitation) => invitation.invited_by,
  },
  {
    key: "expires",
    title: "Expires",
    width: "104px",
    cell: (invitation) => <Time at={invitation.expires} />,
  },
];

export function Invitations() {
  const navigate = useNavigate();
  const { filters, change, any, clear } = useFilters<{ search?: string }>();
  const listing = usePages("identity.invitations", { limit: 50, ...filters });
  const withdraw = useAct("identity.withdraw_invitation", ["identity.invitations", "audit"]);
  const [asked, setAsked] = useState<Invitation>();
  const create = () => void navigate({ to: "/settings/users/invitations/new", search: true });
  useShortcuts([{ keys: "c", says: "Invite somebody", group: "Lists", run: create }]);
  return (
    <Page
      title="Users"
      about="Everybody who can sign in to this account. One person can belong to several accounts."
      actions={<Button onClick={create}>Invite somebody</Button>}
    >
      <UserTabs />
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search e-mails"
        />
      </FilterBar>
      <DataList
        label="Invitations"
        listing={listing}
        columns={columns}
        idOf={(invitation) => invitation.id}
        acts={(invitation) => (
          <RowMenu
            of={invitation.email}
            acts={[{ says: "Withdraw", run: () => setAsked(invitation), harm: true }]}
          />
        )}
        empty={
          <EmptyState
            icon={<IconMailForward size={20} stroke={1.5} />}
            onClear={clear}
            title={any ? "No invitation matches" : "No open invitations"}
            action={!any && <Button onClick={create}>Invite somebody</Button>}
          >
            An invitation is a link that works once and for a limited time. Whoever opens it chooses their own
            password.
          </EmptyState>
        }
      />
      {asked && (
        <Confirm
          title={`Withdraw the invitation of ${asked.email}?`}
          consequences={["The link stops working at once.", "You can invite them again at any time."]}
          act="Withdraw"
          onConfirm={async () => {
            await withdraw.mutateAsync({ id: asked.id });
            toast(`The invitation of ${asked.email} was withdrawn`);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
      <Outlet />
    </Page>
  );
}
