/** The shortcuts that hold now: a page says `useShortcuts([...])` and they hold while it is mounted. */
import { useEffect, useRef, useSyncExternalStore } from "react";
import { isTyping, nameOf, PATIENCE, type Shortcut, step } from "./keys";

let groups: ReadonlyMap<symbol, readonly Shortcut[]> = new Map();
const listeners = new Set<() => void>();

function change(id: symbol, shortcuts: readonly Shortcut[] | undefined) {
  const next = new Map(groups);
  next.delete(id);
  if (shortcuts) next.set(id, shortcuts);
  groups = next;
  for (const listener of listeners) listener();
}

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const shape = shortcuts.map((shortcut) => `${shortcut.keys}:${shortcut.says}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the list; `run` is read when pressed.
  useEffect(() => {
    const id = Symbol("shortcuts");
    const held = latest.current.map((shortcut, index) => ({
      ...shortcut,
      run: () => latest.current[index]?.run(),
    }));
    change(id, held);
    return () => change(id, undefined);
  }, [shape]);
}

export function useAllShortcuts(): readonly Shortcut[] {
  const held = useSyncExternalStore(subscribe, () => groups);
  return [...held.values()].flat();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Mounted once, by the shell. */
export function useKeyboard(): void {
  useEffect(() => {
    let pending = "";
    let forget: ReturnType<typeof setTimeout> | undefined;
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing || event.key === "Shift") return;
      const all = [...groups.values()].flat();
      const quiet =
        isTyping(event.target) || document.querySelector("[role='dialog'][aria-modal='true']") !== null;
      const next = step(pending, nameOf(event), quiet ? all.filter((one) => one.everywhere) : all);
      clearTimeout(forget);
      pending = next.pending;
      if (pending) {
        forget = setTimeout(() => {
          pending = "";
        }, PATIENCE);
      }
      if (!next.shortcut) return;
      event.preventDefault();
      next.shortcut.run();
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
