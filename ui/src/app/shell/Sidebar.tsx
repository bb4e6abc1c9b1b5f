/** The way around: account at the top, places below, the person at the foot. On a narrow screen it slides in. */

import { Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { KeyHint } from "@/components/KeyHint";
import { useMe } from "../api/session";
import { AccountSwitcher } from "./AccountSwitcher";
import { placesFor } from "./navigation";
import classes from "./Sidebar.module.css";
import { UserMenu } from "./UserMenu";

export function Sidebar({ onLeave }: { onLeave: () => void }) {
  const me = useMe();
  return (
    <div className={classes.sidebar}>
      <AccountSwitcher />
      <nav aria-label="Main" className={classes.nav}>
        {placesFor(me).map((group) => (
          <div key={group.title} className={classes.group}>
            {group.title && <h2 className={classes.heading}>{group.title}</h2>}
            <ul>
              {group.places.map(({ to, title, keys, icon: Icon }) => (
                <li key={to}>
                  <Tooltip
                    label={<KeyHint keys={keys} />}
                    position="right"
                    openDelay={600}
                    events={{ hover: true, focus: false, touch: false }}
                  >
                    <Link
                      to={to}
                      className={classes.link}
                      activeOptions={{ exact: to === "/", includeSearch: false }}
                      onClick={onLeave}
                    >
                      <Icon size={16} stroke={1.6} aria-hidden="true" />
                      {title}
                    </Link>
                  </Tooltip>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <UserMenu />
    </div>
  );
}
