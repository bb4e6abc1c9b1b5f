/** Chooses teams by name; asks the server as one types, and keeps what is chosen visible. */
import { MultiSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useAnswer } from "@/app/api/queries";
import type { NamedRef } from "@/gen/api";

type Props = {
  label: string;
  description?: string;
  value: readonly string[];
  onChange: (ids: string[]) => void;
  /** Names of teams that are chosen already. */
  known?: readonly NamedRef[];
  /** Offer the team that all are in: for rules, not for membership. */
  everyone?: boolean;
  error?: React.ReactNode;
};

export function TeamPicker({ label, description, value, onChange, known = [], everyone, error }: Props) {
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, 200);
  const [seen, setSeen] = useState<readonly NamedRef[]>(known);
  const found = useAnswer("identity.teams", { search, limit: 50 });
  const offered = (found.data?.items ?? []).filter((team) => everyone || !team.everyone);
  const names = new Map([...seen, ...offered].map(({ id, name }) => [id, name]));
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={value.length === 0 ? "Search teams" : undefined}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      value={[...value]}
      onChange={(ids) => {
        setSeen(ids.map((id) => ({ id, name: names.get(id) ?? id })));
        onChange(ids);
      }}
      error={error}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      hidePickedOptions
      nothingFoundMessage={found.isFetching ? "Searching…" : "No team is called that"}
    />
  );
}
