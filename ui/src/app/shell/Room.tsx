/** The page of a route, or, for who may not enter where it is, who may. The server refuses the data in any case. */
import { Outlet, useMatches } from "@tanstack/react-router";
import { LinkButton } from "@/components/LinkButton";
import { Page } from "@/components/Page";
import { useMe } from "../api/session";
import { placeAt, placesFor } from "./navigation";

export function Room() {
  const me = useMe();
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? "/" });
  const place = placeAt(path);
  const open = placesFor(me).some((group) => group.places.some(({ to }) => to === place?.to));
  if (!place || open) return <Outlet />;
  const who = place.needs === "admin" ? "admins of this account" : "administrators of the installation";
  return (
    <Page title={place.title} about={`This page is for ${who}. Ask one of them, or to become one.`} narrow>
      <LinkButton to="/">Go home</LinkButton>
    </Page>
  );
}
