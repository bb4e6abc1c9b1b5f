/** Ctrl/Cmd-K: type to go, create, switch or find; arrows choose, Enter does. */
import { Loader, Modal } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useCallback, useEffect, useId, useRef, useState } from "react";
import { KeyHint } from "@/components/KeyHint";
import { useFocusBack } from "@/components/useFocusBack";
import { overlays } from "../shell/overlays";
import classes from "./Palette.module.css";
import type { Command } from "./search";
import { NOTHING, typeahead } from "./typeahead";
import { useCommands } from "./useCommands";

export default function Palette() {
  useFocusBack();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [hurried, setHurried] = useState(false);
  const { commands, searching } = useCommands(typed);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const chosen = Math.min(at, Math.max(0, commands.length - 1));
  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${chosen}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen, id]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an Enter that came early counts once, for what was typed by then.
  useEffect(() => {
    if (hurried) run(commands[chosen]);
  }, [hurried]);

  /** The field takes the focus itself, at once, and with it what was typed on the way here. */
  const begin = useCallback((field: HTMLInputElement | null) => {
    if (!field) return;
    field.focus();
    const ahead = typeahead.take();
    if (ahead === NOTHING) return;
    setTyped(ahead.typed);
    setAt(ahead.at);
    setHurried(ahead.enter);
  }, []);

  function run(command: Command | undefined) {
    if (!command) return;
    overlays.close();
    command.run();
  }
  function onKeyDown(event: React.KeyboardEvent) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) setAt((chosen + move + commands.length) % Math.max(1, commands.length));
    else if (event.key === "Enter") run(commands[chosen]);
    else return;
    event.preventDefault();
  }
  return (
    <Modal.Root opened onClose={overlays.close} size={600} yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Search and commands">
        <div className={classes.field}>
          {searching ? <Loader size={16} /> : <IconSearch size={16} aria-hidden="true" />}
          <input
            ref={begin}
            data-autofocus
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={commands.length > 0 ? `${id}-${chosen}` : undefined}
            aria-label="Search and commands"
            placeholder="Go to, create, or find a user, team or rule…"
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
        <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className={classes.list}>
          {commands.map((command, index) => (
            <div key={command.id} role="presentation">
              {command.group !== commands[index - 1]?.group && (
                <div role="presentation" className={classes.group}>
                  {command.group}
                </div>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses through the field above. */}
              <div
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === chosen}
                className={classes.option}
                onMouseMove={() => setAt(index)}
                onClick={() => run(command)}
              >
                <span>{command.title}</span>
                {command.keys && <KeyHint keys={command.keys} />}
              </div>
            </div>
          ))}
        </div>
        {commands.length === 0 && !searching && <p className={classes.none}>Nothing is called that.</p>}
      </Modal.Content>
    </Modal.Root>
  );
}
