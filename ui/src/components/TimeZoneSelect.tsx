/** Chooses a time zone by name, and tells the hour there, so that one sees at once whether it is the right one. */
import { Select } from "@mantine/core";
import { wallClock } from "./moments";
import { useNow } from "./Time";
import { timeZones } from "./timeZones";

type Props = {
  name: string;
  value: string;
  onChange: (zone: string) => void;
  description: string;
  error?: React.ReactNode;
};

export function TimeZoneSelect({ name, value, onChange, description, error }: Props) {
  const now = useNow(10_000);
  const there = wallClock(value, now);
  return (
    <Select
      label="Time zone"
      name={name}
      description={there ? `${description} Now ${there}.` : description}
      data={timeZones(value)}
      value={value}
      onChange={(zone) => zone && onChange(zone)}
      error={error}
      searchable
      allowDeselect={false}
      limit={60}
    />
  );
}
