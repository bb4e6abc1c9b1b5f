/** Admin or user, each with what it means. */
import { Select } from "@mantine/core";
import type { User } from "@/gen/api";

type Role = User["role"];
const roles: { value: Role; label: string; means: string }[] = [
  { value: "user", label: "User", means: "May do what access rules grant to their teams." },
  { value: "admin", label: "Admin", means: "May do everything in this account, and manage it." },
];

export function RolePicker({
  value,
  onChange,
  error,
}: {
  value: Role;
  onChange: (role: Role) => void;
  error?: React.ReactNode;
}) {
  return (
    <Select
      label="Role"
      description={roles.find((role) => role.value === value)?.means}
      data={roles.map(({ value: role, label }) => ({ value: role, label }))}
      value={value}
      onChange={(role) => role && onChange(role as Role)}
      error={error}
      allowDeselect={false}
    />
  );
}

export function roleName(role: Role): string {
  return role === "admin" ? "Admin" : "User";
}
