/** The account whose things are shown, and the way to another one that the person belongs to. */
import { Menu, UnstyledButton } from "@mantine/core";
import { IconCheck, IconSelector } from "@tabler/icons-react";
import { Mark } from "@/components/Mark";
import { useMe } from "../api/session";
import classes from "./Rail.module.css";
import { useSwitchAccount } from "./useSwitchAccount";

export function AccountSwitcher() {
  const me = useMe();
  const switchTo = useSwitchAccount();
  const name = (
    <>
      <Mark size={24} />
      <span className={classes.words}>
        <span className={classes.main}>{me.account.name}</span>
        <span className={classes.sub}>Argosy</span>
      </span>
    </>
  );
  if (me.accounts.length < 2) return <div className={classes.button}>{name}</div>;
  return (
    <Menu width={224} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes.button} data-acts title="Switch account">
          {name}
          <IconSelector size={14} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Switch account</Menu.Label>
        {me.accounts.map((account) => (
          <Menu.Item
            key={account.id}
            onClick={() => switchTo(account.id)}
            rightSection={account.id === me.account.id ? <IconCheck size={14} /> : undefined}
          >
            {account.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
