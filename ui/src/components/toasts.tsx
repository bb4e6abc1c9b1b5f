/** Short words at the corner after an act, with an undo where there is one. `toast()` from anywhere; shell shows them. */
import { CloseButton } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { StatusMark, type Tone } from "./StatusMark";
import classes from "./toasts.module.css";

interface Toast {
  id: number;
  tone: Tone;
  text: string;
  undo?: () => void;
}

const STAYS = 6000;
let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

export function toast(text: string, options: { tone?: Tone; undo?: () => void } = {}): void {
  count += 1;
  const id = count;
  set([...toasts.slice(-2), { id, tone: options.tone ?? "ok", text, undo: options.undo }]);
  setTimeout(() => dismiss(id), options.undo ? STAYS * 1.5 : STAYS);
}

function dismiss(id: number) {
  set(toasts.filter((one) => one.id !== id));
}

function set(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={classes.toasts} role="status" aria-live="polite">
      {shown.map(({ id, tone, text, undo }) => (
        <div key={id} className={classes.toast}>
          <StatusMark tone={tone}>{text}</StatusMark>
          {undo && (
            <button
              type="button"
              className={classes.undo}
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              Undo
            </button>
          )}
          <CloseButton size="xs" aria-label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
