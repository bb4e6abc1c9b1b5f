/** The first steps in a new account, each judged by what there is, not by what was clicked. Pure. */

export interface Found {
  passwordChanged: boolean;
  users: number;
  invitations: number;
  teams: number;
  keys: number;
  rules: number;
}

export interface Step {
  id: string;
  title: string;
  why: string;
  act: string;
  to:
    | "/settings/profile"
    | "/settings/users/invitations/new"
    | "/settings/teams/new"
    | "/settings/api-keys/new"
    | "/settings/access-rules/new";
  done: (found: Found) => boolean;
  admin: boolean;
}

export const steps: readonly Step[] = [
  {
    id: "password",
    title: "Choose your own password",
    why: "A one-time password or a link is for the first sign-in only.",
    act: "Change password",
    to: "/settings/profile",
    done: (found) => found.passwordChanged,
    admin: false,
  },
  {
    id: "invite",
    title: "Invite a colleague",
    why: "An invitation is a link that works once. Two admins mean that nobody is locked out.",
    act: "Invite",
    to: "/settings/users/invitations/new",
    done: (found) => found.users > 1 || found.invitations > 0,
    admin: true,
  },
  {
    id: "team",
    title: "Create a team",
    why: "Access is given to teams, so that it follows people when they move.",
    act: "Create team",
    to: "/settings/teams/new",
    done: (found) => found.teams > 0,
    admin: true,
  },
  {
    id: "rule",
    title: "Write an access rule",
    why: "Admins may do everything. Users may do what a rule grants, and nothing else.",
    act: "Write rule",
    to: "/settings/access-rules/new",
    done: (found) => found.rules > 0,
    admin: true,
  },
  {
    id: "key",
    title: "Create an API key",
    why: "For the command line, scripts and other tools. It is shown once.",
    act: "Create key",
    to: "/settings/api-keys/new",
    done: (found) => found.keys > 0,
    admin: false,
  },
];
