/** The initials of somebody; decorative, the name stands beside it. */
import classes from "./Avatar.module.css";

export function Avatar({ name, square }: { name: string; square?: boolean }) {
  const words = name
    .replace(/@.*/, "")
    .split(/[\s._-]+/)
    .filter(Boolean);
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.[0] ?? "")
    .join("");
  return (
    <span className={classes.avatar} data-square={square || undefined} aria-hidden="true">
      {initials.toUpperCase() || "?"}
    </span>
  );
}

/** Somebody or something in a list: initials, name, and a quieter second line. */
export function Named({ name, below, square }: { name: string; below?: React.ReactNode; square?: boolean }) {
  return (
    <span className={classes.named}>
      <Avatar name={name} square={square} />
      <span className={classes.words}>
        <span className={classes.name}>{name}</span>
        {below && <span className={classes.below}>{below}</span>}
      </span>
    </span>
  );
}
