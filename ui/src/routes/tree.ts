/** Every URL of the product. Pages are loaded when they are first visited; what a list shows is part of its URL. */

import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { ApiError } from "@/app/api/errors";
import { meAnswer } from "@/app/api/session";
import { NotFound } from "@/app/shell/NotFound";
import { Opening } from "@/app/shell/Opening";
import { OuterError } from "@/app/shell/PageError";
import { Shell } from "@/app/shell/Shell";
import { filtersOf } from "@/components/filters";

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  notFoundComponent: NotFound,
  errorComponent: OuterError,
  pendingComponent: Opening,
});

const text = filtersOf({ next: "text", token: "text" });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: text,
  component: lazyRouteComponent(() => import("@/features/session/SignIn"), "SignIn"),
});

const signInLink = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/link",
  validateSearch: text,
  component: lazyRouteComponent(() => import("@/features/session/SignInLink"), "SignInLink"),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  validateSearch: text,
  component: lazyRouteComponent(() => import("@/features/session/Invitation"), "Invitation"),
});

/** Everything below is for who is signed in; others come back here after signing in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "in",
  pendingComponent: Opening,
  beforeLoad: async ({ context, location }) => {
    const me = await context.queries
      .ensureQueryData({ ...meAnswer, revalidateIfStale: true })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { next: location.href } });
      });
    if (me.must_change_password && location.pathname !== "/password") throw redirect({ to: "/password" });
  },
});

const password = createRoute({
  getParentRoute: () => signedIn,
  path: "/password",
  component: lazyRouteComponent(() => import("@/features/session/NewPassword"), "NewPassword"),
});

const shell = createRoute({ getParentRoute: () => signedIn, id: "shell", component: Shell });

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: lazyRouteComponent(() => import("@/features/welcome/Welcome"), "Welcome"),
});

const profile = createRoute({
  getParentRoute: () => shell,
  path: "/settings/profile",
  component: lazyRouteComponent(() => import("@/features/profile/Profile"), "Profile"),
});

const users = createRoute({
  getParentRoute: () => shell,
  path: "/settings/users",
  validateSearch: filtersOf({ search: "text", sort: "text", team: "text", role: ["admin", "user"] }),
  component: lazyRouteComponent(() => import("@/features/users/Users"), "Users"),
});
const newUser = createRoute({
  getParentRoute: () => users,
  path: "/new",
  component: lazyRouteComponent(() => import("@/features/users/NewUser"), "NewUser"),
});
const user = createRoute({
  getParentRoute: () => users,
  path: "/$id",
  component: lazyRouteComponent(() => import("@/features/users/UserPanel"), "UserPanel"),
});

const invitations = createRoute({
  getParentRoute: () => shell,
  path: "/settings/users/invitations",
  validateSearch: filtersOf({ search: "text" }),
  component: lazyRouteComponent(() => import("@/features/users/Invitations"), "Invitations"),
});
const invite = createRoute({
  getParentRoute: () => invitations,
  path: "/new",
  component: lazyRouteComponent(() => import("@/features/users/Invite"), "Invite"),
});

const teams = createRoute({
  getParentRoute: () => shell,
  path: "/settings/teams",
  validateSearch: filtersOf({ search: "text", sort: "text" }),
  component: lazyRouteComponent(() => import("@/features/teams/Teams"), "Teams"),
});
const newTeam = createRoute({
  getParentRoute: () => teams,
  path: "/new",
  component: lazyRouteComponent(() => import("@/features/teams/NewTeam"), "NewTeam"),
});
const team = createRoute({
  getParentRoute: () => teams,
  path: "/$id",
  component: lazyRouteComponent(() => import("@/features/teams/TeamPanel"), "TeamPanel"),
});

const serviceAccounts = createRoute({
  getParentRoute: () => shell,
  path: "/settings/service-accounts",
  validateSearch: filtersOf({ search: "text", sort: "text" }),
  component: lazyRouteComponent(
    () => import("@/features/service-accounts/ServiceAccounts"),
    "ServiceAccounts",
  ),
});
const newServiceAccount = createRoute({
  getParentRoute: () => serviceAccounts,
  path: "/new",
  component: lazyRouteComponent(
    () => import("@/features/service-accounts/NewServiceAccount"),
    "NewServiceAccount",
  ),
});
const serviceAccount = createRoute({
  getParentRoute: () => serviceAccounts,
  path: "/$id",
  component: lazyRouteComponent(
    () => import("@/features/service-accounts/ServiceAccountPanel"),
    "ServiceAccountPanel",
  ),
});

const apiKeys = createRoute({
  getParentRoute: () => shell,
  path: "/settings/api-keys",
  validateSearch: filtersOf({ search: "text", sort: "text", owner: "text", whose: ["all"] }),
  component: lazyRouteComponent(() => import("@/features/api-keys/ApiKeys"), "ApiKeys"),
});
const newApiKey = createRoute({
  getParentRoute: () => apiKeys,
  path: "/new",
  component: lazyRouteComponent(() => import("@/features/api-keys/NewApiKey"), "NewApiKey"),
});

const accessRules = createRoute({
  getParentRoute: () => shell,
  path: "/settings/access-rules",
  validateSearch: filtersOf({ search: "text", sort: "text", entity: "text", team: "text" }),
  component: lazyRouteComponent(() => import("@/features/access-rules/AccessRules"), "AccessRules"),
});
const newAccessRule = createRoute({
  getParentRoute: () => accessRules,
  path: "/new",
  component: lazyRouteComponent(() => import("@/features/access-rules/NewAccessRule"), "NewAccessRule"),
});
const accessRule = createRoute({
  getParentRoute: () => accessRules,
  path: "/$id",
  component: lazyRouteComponent(() => import("@/features/access-rules/AccessRulePanel"), "AccessRulePanel"),
});
const why = createRoute({
  getParentRoute: () => shell,
  path: "/settings/access-rules/why",
  validateSearch: filtersOf({ user: "text", action: "text", entity: "text" }),
  component: lazyRouteComponent(() => import("@/features/access-rules/Why"), "Why"),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/settings/audit",
  validateSearch: filtersOf({
    search: "text",
    kind: ["read", "all"],
    result: ["ok", "denied", "failed"],
    resource: "text",
    resource_id: "text",
    actor: "text",
    operation: "text",
    range: ["1h", "24h", "7d", "30d", "custom"],
    from: "text",
    to: "text",
    log: ["installation"],
    live: ["on"],
  }),
  component: lazyRouteComponent(() => import("@/features/audit/Audit"), "Audit"),
});
const auditEntry = createRoute({
  getParentRoute: () => audit,
  path: "/$id",
  component: lazyRouteComponent(() => import("@/features/audit/EntryPanel"), "EntryPanel"),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: "/settings/account",
  component: lazyRouteComponent(() => import("@/features/accounts/AccountSettings"), "AccountSettings"),
});

const accounts = createRoute({
  getParentRoute: () => shell,
  path: "/settings/accounts",
  validateSearch: filtersOf({ search: "text", sort: "text" }),
  component: lazyRouteComponent(() => import("@/features/accounts/Accounts"), "Accounts"),
});
const newAccount = createRoute({
  getParentRoute: () => accounts,
  path: "/new",
  component: lazyRouteComponent(() => import("@/features/accounts/NewAccount"), "NewAccount"),
});

const administrators = createRoute({
  getParentRoute: () => shell,
  path: "/settings/administrators",
  validateSearch: filtersOf({ search: "text", sort: "text" }),
  component: lazyRouteComponent(() => import("@/features/accounts/Administrators"), "Administrators"),
});
const newAdministrator = createRoute({
  getParentRoute: () => administrators,
  path: "/new",
  component: lazyRouteComponent(() => import("@/features/accounts/NewAdministrator"), "NewAdministrator"),
});

const system = createRoute({
  getParentRoute: () => shell,
  path: "/settings/system",
  component: lazyRouteComponent(() => import("@/features/system/System"), "System"),
});

const elsewhere = createRoute({ getParentRoute: () => shell, path: "$", component: NotFound });

export const tree = root.addChildren([
  signIn,
  signInLink,
  invitation,
  signedIn.addChildren([
    password,
    shell.addChildren([
      home,
      profile,
      users.addChildren([newUser, user]),
      invitations.addChildren([invite]),
      teams.addChildren([newTeam, team]),
      serviceAccounts.addChildren([newServiceAccount, serviceAccount]),
      apiKeys.addChildren([newApiKey]),
      accessRules.addChildren([newAccessRule, accessRule]),
      why,
      audit.addChildren([auditEntry]),
      account,
      accounts.addChildren([newAccount]),
      administrators.addChildren([newAdministrator]),
      system,
      elsewhere,
    ]),
  ]),
]);
