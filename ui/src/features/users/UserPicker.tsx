/** Chooses users by name or e-mail; asks the server as one types. */
import { MultiSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useAnswer } from "@/app/api/queries";

type Props = {
  label: string;
  description?: string;
  value: readonly string[];
  onChange: (ids: string[]) => void;
  error?: React.ReactNode;
};

export function UserPicker({ label, description, value, onChange, error }: Props) {
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, 200);
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const found = useAnswer("identity.users", { search, limit: 50 });
  const all = new Map([
    ...names,
    ...(found.data?.items ?? []).map((user) => [user.id, user.name || user.email] as const),
  ]);
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={value.length === 0 ? "Search users" : undefined}
      data={[...all].map(([id, name]) => ({ value: id, label: name }))}
      value={[...value]}
      onChange={(ids) => {
        setNames(new Map(ids.map((id) => [id, all.get(id) ?? id])));
        onChange(ids);
      }}
      error={error}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      hidePickedOptions
      nothingFoundMessage={found.isFetching ? "Searching…" : "Nobody is called that"}
    />
  );
}
