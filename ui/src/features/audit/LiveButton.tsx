/** Follow the log as it is written; says whether the stream stands. */
import { Button } from "@mantine/core";
import classes from "./Audit.module.css";
import type { StreamState } from "./useFollow";

const WORDS: Record<StreamState, string> = {
  off: "Follow",
  connecting: "Connecting",
  live: "Following",
  lost: "Lost: follow again",
};

export function LiveButton({
  state,
  on,
  onChange,
}: {
  state: StreamState;
  on: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <Button
      variant="default"
      aria-pressed={on}
      leftSection={<span className={classes.dot} data-state={state} />}
      onClick={() => onChange(!on)}
    >
      {WORDS[state]}
    </Button>
  );
}
