/** The frame around every page of who is signed in. Routes render into its main part. */
import { ActionIcon, Drawer } from "@mantine/core";
import { IconMenu2, IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { KeyHint } from "@/components/KeyHint";
import { TimeZone } from "@/components/Time";
import { Toasts } from "@/components/toasts";
import { useMe } from "../api/session";
import { useKeyboard, useShortcuts } from "../keyboard/shortcuts";
import { Crumbs } from "./Crumbs";
import { DegradedBanner } from "./DegradedBanner";
import { placesFor } from "./navigation";
import { overlays } from "./overlays";
import { Room } from "./Room";
import classes from "./Shell.module.css";
import { ShownOverlay } from "./ShownOverlay";
import { Sidebar } from "./Sidebar";

export function Shell() {
  const me = useMe();
  const [menu, setMenu] = useState(false);
  const navigate = useNavigate();
  useKeyboard();
  useShortcuts([
    {
      keys: "mod+k",
      says: "Open the command palette",
      group: "Anywhere",
      everywhere: true,
      run: () => overlays.open("palette"),
    },
    { keys: "?", says: "Show the shortcuts", group: "Anywhere", run: () => overlays.open("shortcuts") },
    ...placesFor(me)
      .flatMap((group) => group.places)
      .map(({ keys, title, to }) => ({
        keys,
        says: title,
        group: "Go to",
        run: () => void navigate({ to }),
      })),
  ]);
  return (
    <TimeZone value={me.time_zone || "UTC"}>
      <a href="#main" className={classes.skip}>
        Skip to the page
      </a>
      <div className={classes.shell}>
        <aside className={classes.rail}>
          <Sidebar onLeave={() => {}} />
        </aside>
        {menu && (
          <Drawer.Root opened onClose={() => setMenu(false)} position="left" size={264} padding={0}>
            <Drawer.Overlay />
            <Drawer.Content aria-label="Menu">
              <div className={classes.slide}>
                <Sidebar onLeave={() => setMenu(false)} />
              </div>
            </Drawer.Content>
          </Drawer.Root>
        )}
        <div className={classes.right}>
          <header className={classes.top}>
            <ActionIcon
              className={classes.burger}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Open the menu"
              onClick={() => setMenu(true)}
            >
              <IconMenu2 size={18} />
            </ActionIcon>
            <Crumbs />
            <button type="button" className={classes.find} onClick={() => overlays.open("palette")}>
              <IconSearch size={14} aria-hidden="true" />
              <span>Search and commands</span>
              <KeyHint keys="mod+k" />
            </button>
          </header>
          <DegradedBanner />
          <main id="main" className={classes.main} tabIndex={-1}>
            <Room />
          </main>
        </div>
      </div>
      <ShownOverlay />
      <Toasts />
    </TimeZone>
  );
}
