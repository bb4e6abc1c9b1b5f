/** The person: profile, theme, shortcuts, and out. */
import { Menu, UnstyledButton } from "@mantine/core";
import { IconDots, IconKeyboard, IconLogout, IconMoon, IconUserCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Avatar } from "@/components/Avatar";
import { useMe } from "../api/session";
import { schemes, useScheme } from "../theme/scheme";
import { overlays } from "./overlays";
import classes from "./Rail.module.css";
import { signOut } from "./useSwitchAccount";

export function UserMenu() {
  const me = useMe();
  const { scheme, next } = useScheme();
  const theme = schemes.find((one) => one.value === scheme)?.label;
  return (
    <Menu width={224} position="top-start">
      <Menu.Target>
        <UnstyledButton className={classes.button} data-acts title="Profile, theme, sign out">
          <Avatar name={me.name || me.email} />
          <span className={classes.words}>
            <span className={classes.main}>{me.name || me.email}</span>
            <span className={classes.sub}>{me.account.role === "admin" ? "Admin" : "User"}</span>
          </span>
          <IconDots size={14} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.email}</Menu.Label>
        <Menu.Item
          component={Link}
          to="/settings/profile"
          leftSection={<IconUserCircle size={16} stroke={1.6} />}
        >
          Profile
        </Menu.Item>
        <Menu.Item
          closeMenuOnClick={false}
          onClick={next}
          leftSection={<IconMoon size={16} stroke={1.6} />}
          rightSection={<span className="dim">{theme}</span>}
        >
          Theme
        </Menu.Item>
        <Menu.Item
          onClick={() => overlays.open("shortcuts")}
          leftSection={<IconKeyboard size={16} stroke={1.6} />}
          rightSection={<span className="dim">?</span>}
        >
          Shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={signOut} leftSection={<IconLogout size={16} stroke={1.6} />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
