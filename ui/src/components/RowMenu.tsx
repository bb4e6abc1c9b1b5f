/** What can be done with one row, behind three dots; the last may be harm, in red and asked about first. */
import { ActionIcon, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";

export interface RowAct {
  says: string;
  run: () => void;
  harm?: boolean;
}

export function RowMenu({ of, acts }: { of: string; acts: readonly RowAct[] }) {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Acts on ${of}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {acts.map((act) => (
          <Menu.Item key={act.says} c={act.harm ? "var(--bad)" : undefined} onClick={act.run}>
            {act.says}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
