/** A small table that shows all it has, for lists that are short by nature. */
import classes from "./System.module.css";

type Props = { label: string; heads: readonly string[]; children: React.ReactNode };

export function Table({ label, heads, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard.
    <section className={classes.scroll} tabIndex={0} aria-label={`${label}, all of them`}>
      <table className={classes.table}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
