/** A short word in a quiet frame: a team, a scope, an action. `Chips` shows a few of them and counts the rest. */
import classes from "./Chip.module.css";

export function Chip({
  children,
  title,
  mono,
}: {
  children: React.ReactNode;
  title?: string;
  mono?: boolean;
}) {
  return (
    <span className={classes.chip} data-mono={mono || undefined} title={title}>
      {children}
    </span>
  );
}

export function Chips({
  words,
  most = 3,
  mono,
  none = "None",
}: {
  words: readonly string[];
  most?: number;
  mono?: boolean;
  none?: string;
}) {
  if (words.length === 0) return <span className="dim">{none}</span>;
  const rest = words.slice(most);
  return (
    <span className={classes.chips}>
      {words.slice(0, most).map((word) => (
        <Chip key={word} mono={mono}>
          {word}
        </Chip>
      ))}
      {rest.length > 0 && (
        <span className={classes.rest} title={rest.join(", ")}>
          +{rest.length}
        </span>
      )}
    </span>
  );
}
