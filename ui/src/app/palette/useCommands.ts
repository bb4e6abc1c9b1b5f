/** What the palette offers: places, things to create, accounts, the theme, and what the server finds by name. */
import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { toast } from "@/components/toasts";
import { useAnswer } from "../api/queries";
import { useMe } from "../api/session";
import { placesFor } from "../shell/navigation";
import { overlays } from "../shell/overlays";
import { signOut, useSwitchAccount } from "../shell/useSwitchAccount";
import { useScheme } from "../theme/scheme";
import { type Command, ranked, together } from "./search";

export function useCommands(typed: string): { commands: Command[]; searching: boolean } {
  const own = useOwnCommands();
  const found = useFound(typed);
  return {
    commands: [...together(ranked(own, typed, typed ? 8 : own.length)), ...found.commands],
    searching: found.searching,
  };
}

function useOwnCommands(): Command[] {
  const me = useMe();
  const navigate = useNavigate();
  const switchTo = useSwitchAccount();
  const { next } = useScheme();
  const admin = me.account.role === "admin";
  const root = me.platform_admin;
  const create = [
    { title: "Create user", to: "/settings/users/new", may: admin },
    { title: "Invite somebody", to: "/settings/users/invitations/new", may: admin },
    { title: "Create team", to: "/settings/teams/new", may: admin },
    { title: "Create API key", to: "/settings/api-keys/new", may: true },
    { title: "Create service account", to: "/settings/service-accounts/new", may: admin },
    { title: "Create access rule", to: "/settings/access-rules/new", may: admin },
    { title: "Create account", to: "/settings/accounts/new", may: root },
    { title: "Add administrator", to: "/settings/administrators/new", may: root },
  ] as const;
  return [
    ...placesFor(me)
      .flatMap((group) => group.places)
      .map(({ to, title, keys }) => ({
        id: to,
        title,
        keys,
        group: "Go to",
        run: () => void navigate({ to }),
      })),
    {
      id: "why",
      title: "Why may somebody do something?",
      group: "Go to",
      also: "access tester explain rights",
      run: () => void navigate({ to: "/settings/access-rules/why" }),
    },
    ...create
      .filter((one) => one.may)
      .map(({ title, to }) => ({
        id: to,
        title,
        group: "Create",
        also: "new add",
        run: () => void navigate({ to }),
      })),
    ...me.accounts
      .filter((account) => account.id !== me.account.id)
      .map(({ id, name }) => ({
        id,
        title: `Switch to ${name}`,
        group: "Account",
        run: () => void switchTo(id),
      })),
    {
      id: "theme",
      title: "Change the theme",
      group: "You",
      also: "dark light mode",
      run: () => toast(`Theme: ${next()}`, { tone: "info" }),
    },
    {
      id: "keys",
      title: "Keyboard shortcuts",
      group: "You",
      keys: "?",
      run: () => overlays.open("shortcuts"),
    },
    { id: "out", title: "Sign out", group: "You", also: "log out leave", run: () => void signOut() },
  ];
}

function useFound(typed: string) {
  const [search] = useDebouncedValue(typed.trim(), 180);
  const navigate = useNavigate();
  const options = { enabled: search.length > 1 };
  const request = { search, limit: 4 };
  const users = useAnswer("identity.users", request, options);
  const teams = useAnswer("identity.teams", request, options);
  const rules = useAnswer("identity.access_rules", request, options);
  if (!options.enabled) return { commands: [], searching: false };
  const commands: Command[] = [
    ...(users.data?.items ?? []).map(({ id, name, email }) => ({
      id,
      title: name || email,
      also: email,
      group: "Users",
      run: () => void navigate({ to: "/settings/users/$id", params: { id } }),
    })),
    ...(teams.data?.items ?? []).map(({ id, name }) => ({
      id,
      title: name,
      group: "Teams",
      run: () => void navigate({ to: "/settings/teams/$id", params: { id } }),
    })),
    ...(rules.data?.items ?? []).map(({ id, name }) => ({
      id,
      title: name,
      group: "Access rules",
      run: () => void navigate({ to: "/settings/access-rules/$id", params: { id } }),
    })),
  ];
  return { commands, searching: users.isFetching || teams.isFetching || rules.isFetching };
}
