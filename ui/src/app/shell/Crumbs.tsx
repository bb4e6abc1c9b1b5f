/** Where one is: the group, the place, and what is open beside it. */
import { Link, useMatches } from "@tanstack/react-router";
import { useMe } from "../api/session";
import classes from "./Crumbs.module.css";
import { placeAt, placesFor } from "./navigation";

export function Crumbs() {
  const me = useMe();
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? "/" });
  const at = placeAt(path);
  const group = placesFor(me).find(({ places }) => places.some(({ to }) => to === at?.to));
  const place = group?.places.find(({ to }) => to === at?.to);
  if (!place) return <span />;
  return (
    <nav aria-label="Breadcrumb" className={classes.crumbs}>
      <ol>
        {group?.title && <li>{group.title}</li>}
        <li>
          <Link to={place.to} search={(before) => before}>
            {place.title}
          </Link>
        </li>
      </ol>
    </nav>
  );
}
