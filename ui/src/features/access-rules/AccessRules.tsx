/** The access rules of the account: which teams may do what with what. */
import { Button } from "@mantine/core";
import { IconShieldLock } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAnswer, usePages } from "@/app/api/queries";
import { useIsAdmin } from "@/app/api/session";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import { Chips } from "@/components/Chip";
import { type Column, DataList } from "@/components/DataList";
import { EmptyState } from "@/components/EmptyState";
import { ChoiceFilter, FilterBar, SearchFilter } from "@/components/FilterBar";
import { useFilters } from "@/components/filters";
import { LinkButton } from "@/components/LinkButton";
import { Page } from "@/components/Page";
import { RowMenu } from "@/components/RowMenu";
import { StatusMark } from "@/components/StatusMark";
import { Time } from "@/components/Time";
import type { AccessRule } from "@/gen/api";
import { actionShown, capitalised } from "./draft";
import { RemoveRule, useToggleRule } from "./RuleActs";

const columns: readonly Column<AccessRule>[] = [
  { key: "name", title: "Name", sorts: true, cell: (rule) => rule.name },
  {
    key: "entity",
    title: "Applies to",
    width: "160px",
    wide: true,
    cell: (rule) => capitalised(actionShown(rule.entity)),
  },
  {
    key: "teams",
    title: "Teams",
    width: "max(16%, 104px)",
    cell: (rule) => <Chips words={rule.teams.map((team) => team.name)} most={2} />,
  },
  {
    key: "actions",
    title: "May",
    width: "17%",
    wide: true,
    cell: (rule) => <Chips words={rule.actions.map(actionShown)} most={3} />,
  },
  {
    key: "enabled",
    title: "State",
    width: "72px",
    wide: true,
    cell: (rule) => (
      <StatusMark tone={rule.enabled ? "ok" : "idle"}>{rule.enabled ? "On" : "Off"}</StatusMark>
    ),
  },
  {
    key: "updated",
    title: "Changed",
    width: "124px",
    sorts: true,
    wide: true,
    cell: (rule) => <Time at={rule.updated} />,
  },
];

export function AccessRules() {
  const admin = useIsAdmin();
  const navigate = useNavigate();
  const { filters, change, any, clear } = useFilters<{
    search?: string;
    sort?: string;
    entity?: string;
    team?: string;
  }>();
  const listing = usePages("identity.access_rules", { limit: 50, ...filters });
  const vocabulary = useAnswer("identity.vocabulary", {}, { staleTime: 600_000 });
  const teams = useAnswer("identity.teams", { limit: 200 });
  const toggle = useToggleRule();
  const [removing, setRemoving] = useState<AccessRule>();
  const create = () => void navigate({ to: "/settings/access-rules/new", search: true });
  useShortcuts(admin ? [{ keys: "c", says: "Create access rule", group: "Lists", run: create }] : []);
  return (
    <Page
      title="Access rules"
      about="Admins may do everything. Users may do what a rule grants to one of their teams, and nothing else."
      actions={
        <>
          <LinkButton variant="default" to="/settings/access-rules/why">
            Why?
          </LinkButton>
          {admin && <Button onClick={create}>Create rule</Button>}
        </>
      }
    >
      <FilterBar onClear={clear}>
        <SearchFilter
          value={filters.search ?? ""}
          onChange={(search) => change({ search })}
          placeholder="Search rules"
        />
        <ChoiceFilter
          label="Applies to"
          value={filters.entity}
          onChange={(entity) => change({ entity })}
          options={(vocabulary.data?.entities ?? []).map(({ name, title }) => ({
            value: name,
            label: title,
          }))}
          searchable
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
        label="Access rules"
        dense
        listing={listing}
        columns={columns}
        idOf={(rule) => rule.id}
        open={(rule) => ({ to: "/settings/access-rules/$id", params: { id: rule.id }, search: true })}
        sort={filters.sort}
        onSort={(sort) => change({ sort })}
        acts={
          admin
            ? (rule) => (
                <RowMenu
                  of={rule.name}
                  acts={[
                    { says: rule.enabled ? "Switch off" : "Switch on", run: () => void toggle(rule) },
                    { says: "Remove rule", run: () => setRemoving(rule), harm: true },
                  ]}
                />
              )
            : undefined
        }
        empty={
          <EmptyState
            icon={<IconShieldLock size={20} stroke={1.5} />}
            onClear={clear}
            title={any ? "No rule matches" : "No access rules yet"}
            action={!any && admin && <Button onClick={create}>Create rule</Button>}
          >
            A rule says: these teams may do these actions, on what matches. Without rules, only admins may do
            anything.
          </EmptyState>
        }
      />
      {removing && <RemoveRule rule={removing} onClose={() => setRemoving(undefined)} />}
      <Outlet />
    </Page>
  );
}
