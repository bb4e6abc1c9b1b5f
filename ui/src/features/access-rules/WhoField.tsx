/** A user by e-mail, found as one types. */
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useAnswer } from "@/app/api/queries";

type Props = {
  value: string;
  onChange: (email: string) => void;
  error?: React.ReactNode;
  disabled?: boolean;
};

export function WhoField({ value, onChange, error, disabled }: Props) {
  const [typed, setTyped] = useState(value);
  const [search] = useDebouncedValue(typed === value ? "" : typed, 200);
  const users = useAnswer("identity.users", { search, limit: 50 });
  const emails = new Set([value, ...(users.data?.items ?? []).map((user) => user.email)]);
  return (
    <Select
      label="Who"
      description={disabled ? "Asking about others is for admins." : undefined}
      data={[...emails].filter(Boolean)}
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(email) => email && onChange(email)}
      error={error}
      disabled={disabled}
      searchable
      allowDeselect={false}
      filter={({ options }) => options}
      nothingFoundMessage="Nobody is called that"
    />
  );
}
