/** Key presses as words ("mod+k", "g u", "?"), and the pure step that turns a press into the shortcut it completes. */

export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

export interface Shortcut {
  keys: string;
  says: string;
  group: string;
  run: () => void;
  /** Also while typing in a field; only for chords with mod. */
  everywhere?: boolean;
}

export const PATIENCE = 1200;

export function nameOf(press: Press): string {
  const mod = press.ctrlKey || press.metaKey ? "mod+" : "";
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  return `${mod}${press.altKey ? "alt+" : ""}${key}`;
}

/** What was pressed before (within `PATIENCE`) and now: the shortcut, if any, and what to remember. */
export function step(
  pending: string,
  pressed: string,
  shortcuts: readonly Shortcut[],
): { shortcut?: Shortcut; pending: string } {
  for (const keys of pending ? [`${pending} ${pressed}`, pressed] : [pressed]) {
    const shortcut = shortcuts.findLast((candidate) => candidate.keys === keys);
    if (shortcut) return { shortcut, pending: "" };
    if (shortcuts.some((candidate) => candidate.keys.startsWith(`${keys} `))) return { pending: keys };
  }
  return { pending: "" };
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

const SHOWN: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };

/** How a shortcut is written for the reader's machine. */
export function keysShown(keys: string): string[] {
  const apple = /Mac|iPhone|iPad/.test(navigator.userAgent);
  return keys
    .split(" ")
    .flatMap((chord) => chord.split("+"))
    .map((key) =>
      key === "mod" ? (apple ? "⌘" : "Ctrl") : key.length === 1 ? key.toUpperCase() : (SHOWN[key] ?? key),
    );
}
