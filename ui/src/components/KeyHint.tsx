/** The keys of a shortcut, as small caps beside what they do. */
import { keysShown } from "@/app/keyboard/keys";
import classes from "./KeyHint.module.css";

export function KeyHint({ keys }: { keys: string }) {
  return (
    <span className={classes.keys}>
      {keysShown(keys).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
