/** The rooms of the house: what the sidebar, the palette and the go-to keys offer. A module adds its line here. */
import {
  IconActivityHeartbeat,
  IconAdjustments,
  IconBuildings,
  IconHistory,
  IconHome,
  IconKey,
  IconRobot,
  IconShieldLock,
  IconUserCircle,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
} from "@tabler/icons-react";

export interface Place {
  to:
    | "/"
    | "/settings/profile"
    | "/settings/users"
    | "/settings/teams"
    | "/settings/service-accounts"
    | "/settings/api-keys"
    | "/settings/access-rules"
    | "/settings/audit"
    | "/settings/account"
    | "/settings/accounts"
    | "/settings/administrators"
    | "/settings/system";
  title: string;
  keys: string;
  icon: typeof IconHome;
  needs?: "admin" | "platform_admin";
}

export interface Group {
  title: string;
  places: readonly Place[];
}

export const navigation: readonly Group[] = [
  { title: "", places: [{ to: "/", title: "Home", keys: "g h", icon: IconHome }] },
  {
    title: "You",
    places: [
      { to: "/settings/profile", title: "Profile", keys: "g p", icon: IconUserCircle },
      { to: "/settings/api-keys", title: "API keys", keys: "g k", icon: IconKey },
    ],
  },
  {
    title: "Account",
    places: [
      { to: "/settings/users", title: "Users", keys: "g u", icon: IconUsers },
      { to: "/settings/teams", title: "Teams", keys: "g t", icon: IconUsersGroup },
      {
        to: "/settings/service-accounts",
        title: "Service accounts",
        keys: "g b",
        icon: IconRobot,
        needs: "admin",
      },
      { to: "/settings/access-rules", title: "Access rules", keys: "g r", icon: IconShieldLock },
      { to: "/settings/audit", title: "Audit log", keys: "g a", icon: IconHistory, needs: "admin" },
      { to: "/settings/account", title: "Account settings", keys: "g c", icon: IconAdjustments },
    ],
  },
  {
    title: "Installation",
    places: [
      {
        to: "/settings/accounts",
        title: "Accounts",
        keys: "g o",
        icon: IconBuildings,
        needs: "platform_admin",
      },
      {
        to: "/settings/administrators",
        title: "Administrators",
        keys: "g d",
        icon: IconUserShield,
        needs: "platform_admin",
      },
      {
        to: "/settings/system",
        title: "System",
        keys: "g s",
        icon: IconActivityHeartbeat,
        needs: "platform_admin",
      },
    ],
  },
];

/** The place that a path is in, also for who may not enter it. */
export function placeAt(path: string): Place | undefined {
  const places = navigation.flatMap((group) => group.places);
  return places.find(({ to }) => (to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`)));
}

export function placesFor(me: { account: { role: string }; platform_admin: boolean }): readonly Group[] {
  const open = (place: Place) =>
    !place.needs || (place.needs === "admin" ? me.account.role === "admin" : me.platform_admin);
  return navigation
    .map((group) => ({ ...group, places: group.places.filter(open) }))
    .filter((group) => group.places.length > 0);
}
