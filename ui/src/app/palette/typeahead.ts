/**
 * Keys pressed between the wish for the palette and the moment its field has the focus: the chunk may still be loading.
 * They are held here, act on nothing else, and are taken by the field when it is there.
 */

export interface Ahead {
  typed: string;
  /** How far the arrows went from the first command. */
  at: number;
  /** Enter was pressed; what comes after it is not meant for the palette. */
  enter: boolean;
}

export const NOTHING: Ahead = { typed: "", at: 0, enter: false };
const LONGEST = 5000;

/** What is held after one more key; undefined for a key that the palette does not take. */
export function held(ahead: Ahead, key: string): Ahead | undefined {
  if (ahead.enter) return ahead;
  if (key === "Enter") return { ...ahead, enter: true };
  if (key === "Backspace") return { ...ahead, typed: ahead.typed.slice(0, -1), at: 0 };
  if (key === "ArrowDown") return { ...ahead, at: ahead.at + 1 };
  if (key === "ArrowUp") return { ...ahead, at: Math.max(0, ahead.at - 1) };
  if (key === "Tab") return ahead;
  return key.length === 1 ? { ...ahead, typed: ahead.typed + key, at: 0 } : undefined;
}

let ahead = NOTHING;
let stop = () => {};

export const typeahead = {
  /** Escape calls it off. Not for ever: a chunk that never comes must not swallow the keyboard. */
  start(cancel: () => void) {
    stop();
    ahead = NOTHING;
    function onKeyDown(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key === "Escape") return cancel();
      const next = held(ahead, event.key);
      if (!next) return;
      ahead = next;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    window.addEventListener("keydown", onKeyDown, { capture: true });
    const timer = setTimeout(() => stop(), LONGEST);
    stop = () => {
      clearTimeout(timer);
      window.removeEventListener("keydown", onKeyDown, { capture: true });
      stop = () => {};
    };
  },
  /** What was typed meanwhile, once; from here on the keys go where the focus is. */
  take(): Ahead {
    stop();
    const taken = ahead;
    ahead = NOTHING;
    return taken;
  },
};
