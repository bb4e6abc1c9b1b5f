/** What the keyboard can do on the page that is open. */
import { groupedBy } from "@/components/groupedBy";
import { KeyHint } from "@/components/KeyHint";
import { Dialog } from "@/components/SidePanel";
import { overlays } from "../shell/overlays";
import classes from "./ShortcutsHelp.module.css";
import { useAllShortcuts } from "./shortcuts";

const LISTS = [
  { keys: "ArrowDown", says: "Next row" },
  { keys: "ArrowUp", says: "Previous row" },
  { keys: "Enter", says: "Open the row" },
  { keys: "Escape", says: "Close what is open" },
];

export default function ShortcutsHelp() {
  const groups = groupedBy(useAllShortcuts(), (shortcut) => shortcut.group);
  const lists = [...(groups.get("Lists") ?? []), ...LISTS];
  const shown = [...groups].filter(([group]) => group !== "Lists");
  return (
    <Dialog onClose={overlays.close} title="Keyboard shortcuts" wide reading>
      <div className={classes.groups}>
        {[...shown, ["Lists", lists] as const].map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts.map(({ keys, says }) => (
                <div key={keys + says}>
                  <dt>{says}</dt>
                  <dd>
                    <KeyHint keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
