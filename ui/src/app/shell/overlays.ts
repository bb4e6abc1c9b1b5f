/** Which of the shell's overlays is open: the palette or the list of shortcuts. At most one. */
import { useSyncExternalStore } from "react";
import { typeahead } from "../palette/typeahead";

type Overlay = "palette" | "shortcuts" | undefined;

let current: Overlay;
const listeners = new Set<() => void>();

function set(next: Overlay) {
  if (next === current) return;
  if (next === "palette") typeahead.start(() => set(undefined));
  else typeahead.take();
  current = next;
  for (const listener of listeners) listener();
}

export const overlays = { open: (which: Overlay) => set(which), close: () => set(undefined) };

export function useOverlay(): Overlay {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
