/** A few views of one page side by side, each with its own URL. */
import { type ActiveLinkOptions, Link, type LinkProps } from "@tanstack/react-router";
import classes from "./Segments.module.css";

export function Segments({
  label,
  links,
}: {
  label: string;
  links: readonly (LinkProps & Pick<ActiveLinkOptions, "activeOptions"> & { says: string })[];
}) {
  return (
    <nav aria-label={label} className={classes.segments}>
      {links.map(({ says, ...link }) => (
        <Link
          key={says}
          activeOptions={{ exact: false, includeSearch: false }}
          {...link}
          className={classes.segment}
        >
          {says}
        </Link>
      ))}
    </nav>
  );
}
