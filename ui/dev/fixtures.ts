/** A small believable account for `ARGOSY_MOCK=1 npm run dev`: to look at pages without a platform. Never shipped. */
import type {
  AccessRule,
  Account,
  Administrator,
  ApiKey,
  DeadLetter,
  EntityVocabulary,
  Entry,
  Health,
  Invitation,
  Me,
  NamedRef,
  Schedule,
  ScopeInfo,
  ServiceAccount,
  SessionInfo,
  Team,
  User,
} from "../src/gen/api";

export const now = Date.now();
export const before = (seconds: number) => new Date(now - seconds * 1000).toISOString();
export const idOf = (number: number) => number.toString(16).padStart(24, "6a1f3c");
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

const teamNames = [
  ["Platform", "Clusters, runtimes and everything below the applications"],
  ["Checkout", "Cart, payment and orders"],
  ["Search", "Catalogue search and ranking"],
  ["Release", "Who may promote to production"],
  ["Data", "Pipelines and warehouse"],
  ["On call", "Whoever carries the pager this week"],
] as const;
export const teams: Team[] = teamNames.map(([name, description], index) => ({
  id: idOf(100 + index),
  name,
  description,
  members: [6, 11, 7, 4, 5, 3][index] ?? 0,
  everyone: false,
  created: before((200 - index * 20) * DAY),
}));
const team = (index: number): NamedRef => ({ id: teams[index]?.id ?? "", name: teams[index]?.name ?? "" });

const places = [
  "north",
  "south",
  "east",
  "west",
  "harbour",
  "quay",
  "pier",
  "mole",
  "dock",
  "shoal",
  "reef",
  "cape",
  "bay",
  "sound",
  "strait",
  "tide",
  "ebb",
  "flow",
  "keel",
  "mast",
  "helm",
  "anchor",
  "buoy",
  "beacon",
  "lagoon",
  "fjord",
  "delta",
  "estuary",
  "gulf",
  "isle",
];
export const users: User[] = places.map((place, index) => ({
  id: idOf(index),
  name: `${place[0]?.toUpperCase()}${place.slice(1)} Operator`,
  email: `${place}@example.com`,
  role: index < 3 ? "admin" : "user",
  teams: [
    team(index % 6),
    ...(index % 3 === 0 ? [team((index + 2) % 6)] : []),
    ...(index % 5 === 0 ? [team((index + 4) % 6)] : []),
  ],
  status: index === 7 ? "disabled" : index === 11 ? "invited" : "active",
  created: before((180 - index) * DAY),
  last_seen: index === 11 ? null : before(index * index * 7 * MINUTE + 20),
}));

export const me: Me = {
  id: idOf(0),
  kind: "user",
  name: "North Operator",
  email: "north@example.com",
  account: { id: idOf(900), name: "Meridian", role: "admin" },
  accounts: [
    { id: idOf(900), name: "Meridian", role: "admin" },
    { id: idOf(901), name: "Meridian staging", role: "user" },
  ],
  teams: [team(0), team(2)],
  platform_admin: true,
  must_change_password: false,
  scopes: null,
  time_zone: "Europe/Lisbon",
};

export const accounts: Account[] = me.accounts.map(({ id, name }, index) => ({
  id,
  name,
  time_zone: index === 0 ? "Europe/Lisbon" : "UTC",
  created: before((400 - index * 90) * DAY),
  users: index === 0 ? 24 : 3,
}));

export const administrators: Administrator[] = users
  .slice(0, 2)
  .map(({ id, name, email, status, last_seen }) => ({ id, name, email, status, last_seen }));

export const invitations: Invitation[] = ["harbourmaster", "pilot", "purser"].map((name, index) => ({
  id: idOf(200 + index),
  email: `${name}@example.com`,
  role: index === 0 ? "admin" : "user",
  teams: [team(index + 1)],
  invited_by: "North Operator",
  created: before(index * DAY + 3 * HOUR),
  expires: before(-(7 - index) * DAY),
}));

export const serviceAccounts: ServiceAccount[] = ["image-reporter", "terraform", "nightly-export"].map(
  (name, index) => ({
    id: idOf(300 + index),
    name,
    role: index === 1 ? "admin" : "user",
    teams: [team(index)],
    keys: [2, 1, 0][index] ?? 0,
    created: before((90 - index * 30) * DAY),
  }),
);

export const apiKeys: ApiKey[] = [
  ["laptop", "argo_7Qm2", null, 0, -62 * DAY, 4 * MINUTE],
  ["deploy dashboard", "argo_Xw81", ["applications:VIEW", "users:read", "teams:read"], 0, -9 * DAY, 2 * HOUR],
  ["image reports", "argo_k3Lp", ["applications"], 300, null, 50],
  ["terraform apply", "argo_Zt5c", null, 301, -200 * DAY, 31 * HOUR],
  ["old script", "argo_91aB", ["audit:read"], 0, 3 * DAY, 40 * DAY],
].map(([name, prefix, scopes, owner, expires, used], index) => ({
  id: idOf(400 + index),
  name: name as string,
  prefix: prefix as string,
  scopes: scopes as string[] | null,
  owner:
    owner === 0
      ? { id: me.id, name: me.name }
      : { id: idOf(owner as number), name: serviceAccounts[(owner as number) - 300]?.name ?? "" },
  owner_kind: owner === 0 ? "user" : "service_account",
  created: before((60 - index * 9) * DAY),
  expires: expires === null ? null : before(expires as number),
  last_used: before(used as number),
}));

export const scopes: ScopeInfo[] = [
  ...["users", "teams", "service-accounts", "api-keys", "access-rules", "profile", "account"].flatMap(
    (name) => [
      { name: `${name}:read`, allows: `Read ${name}` },
      { name: `${name}:write`, allows: `Create, change and remove ${name}` },
    ],
  ),
  { name: "audit:read", allows: "Read the audit log" },
  { name: "applications", allows: "Everything with applications" },
  { name: "applications:VIEW", allows: "See applications" },
  { name: "applications:SYNC", allows: "Sync applications" },
  { name: "applications:APP_ROLLBACK", allows: "Roll applications back" },
];

export const vocabulary: EntityVocabulary[] = [
  {
    name: "applications",
    title: "Applications",
    actions: [
      "VIEW",
      "REFRESH",
      "SYNC",
      "TERMINATE_SYNC",
      "APP_ROLLBACK",
      "VIEW_POD_LOGS",
      "ROLLOUT_PAUSE",
      "ROLLOUT_RESUME",
      "ROLLOUT_PROMOTE_FULL",
      "DELETE_RESOURCE",
      "EXEC_TO_POD",
    ],
    attributes: ["CLUSTER", "NAMESPACE", "RUNTIME", "GIT_SOURCE", "LABEL", "PRODUCT_NAME"],
    labelled: true,
    tagged: false,
    related: [],
  },
  {
    name: "environments",
    title: "Environments",
    actions: ["PROMOTE_TO"],
    attributes: ["ENVIRONMENT_NAME", "ENVIRONMENT_KIND"],
    labelled: false,
    tagged: false,
    related: [],
  },
  {
    name: "pipeline",
    title: "Pipelines",
    actions: ["create", "read", "update", "delete", "run", "approve", "debug"],
    attributes: [],
    labelled: false,
    tagged: true,
    related: ["project"],
  },
  {
    name: "cluster",
    title: "Clusters",
    actions: ["create", "read", "update", "delete"],
    attributes: [],
    labelled: false,
    tagged: true,
    related: [],
  },
];

const rule = (
  index: number,
  rest: Pick<AccessRule, "name" | "entity" | "teams" | "actions"> & Partial<AccessRule>,
): AccessRule => ({
  id: idOf(500 + index),
  conditions: [],
  tags: [],
  tag_logic: "any",
  related_resource: "",
  enabled: true,
  created: before((120 - index) * DAY),
  updated: before((index + 1) * 3 * DAY),
  ...rest,
});
export const rules: AccessRule[] = [
  rule(0, {
    name: "Everyone sees every application",
    entity: "applications",
    teams: [team(0), team(1), team(2), team(4)],
    actions: ["VIEW", "VIEW_POD_LOGS"],
  }),
  rule(1, {
    name: "Checkout deploys its own",
    entity: "applications",
    teams: [team(1)],
    actions: ["VIEW", "REFRESH", "SYNC", "APP_ROLLBACK"],
    conditions: [
      { attribute: "NAMESPACE", values: ["checkout-*"], key: "" },
      { attribute: "LABEL", values: ["checkout"], key: "team" },
    ],
  }),
  rule(2, {
    name: "Release promotes to production",
    entity: "environments",
    teams: [team(3)],
    actions: ["PROMOTE_TO"],
    conditions: [{ attribute: "ENVIRONMENT_KIND", values: ["PROD"], key: "" }],
  }),
  rule(3, {
    name: "On call may open a shell",
    entity: "applications",
    teams: [team(5)],
    actions: ["VIEW", "EXEC_TO_POD"],
    enabled: false,
  }),
  rule(4, {
    name: "Data runs its pipelines",
    entity: "pipeline",
    teams: [team(4)],
    actions: ["read", "run", "approve"],
    tags: ["data", "warehouse"],
  }),
];

const acts: [
  operation: string,
  resource: string,
  name: string,
  result: Entry["result"],
  kind: Entry["kind"],
][] = [
  ["change_access_rule", "access-rule", "Checkout deploys its own", "ok", "change"],
  ["create_api_key", "api-key", "deploy dashboard", "ok", "change"],
  ["change_team", "team", "On call", "ok", "change"],
  ["remove_user", "user", "Skerry Operator", "denied", "change"],
  ["sign_in", "session", "", "failed", "change"],
  ["invite", "invitation", "pilot@example.com", "ok", "change"],
  ["users", "user", "", "ok", "read"],
  ["create_team", "team", "Data", "ok", "change"],
  ["reset_password", "user", "Quay Operator", "ok", "change"],
  ["revoke_api_key", "api-key", "old deploy", "ok", "change"],
];
export const entries: Entry[] = Array.from({ length: 137 }, (_, index) => {
  const [operation, resource, name, result, kind] = acts[(index * 7) % acts.length] ?? [
    "me",
    "user",
    "",
    "ok",
    "read",
  ];
  const who = users[(index * 5) % 9] ?? users[0];
  return {
    id: idOf(10_000 + index),
    time: before(index * index * 11 + 12),
    account: me.account.id,
    kind,
    actor: { kind: "user", id: who?.id ?? "", name: who?.name ?? "", credential: `session:${idOf(700)}` },
    remote: `192.0.2.${10 + (index % 40)}`,
    user_agent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/143.0",
    service: "identity",
    operation,
    resource,
    resource_id: idOf(500 + (index % 30)),
    resource_name: name,
    result,
    error: result === "denied" ? "the last admin of an account cannot be removed" : "",
    request_id: idOf(20_000 + index),
    before:
      kind === "change"
        ? {
            name,
            enabled: true,
            actions: ["VIEW", "SYNC"],
            teams: [{ id: "1", name: "Checkout" }],
            secret: "******",
          }
        : null,
    after:
      kind === "change"
        ? {
            name,
            enabled: false,
            actions: ["VIEW", "SYNC", "APP_ROLLBACK"],
            teams: [
              { id: "1", name: "Checkout" },
              { id: "2", name: "Release" },
            ],
            secret: "******",
          }
        : null,
    number: 4213 - index,
    hash: idOf(index).repeat(3).slice(0, 64),
  };
});

export const sessions: SessionInfo[] = [
  "Mozilla/5.0 (X11; Linux x86_64) Chrome/143.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) Safari/605",
  "argosy/0.1 cli",
].map((user_agent, index) => ({
  id: idOf(700 + index),
  created: before((index + 1) * 2 * DAY),
  last_seen: before(index * index * 5 * HOUR + 30),
  expires: before(-12 * DAY),
  remote: `192.0.2.${20 + index}`,
  user_agent,
  current: index === 0,
}));

export const services: Health[] = [
  ["gateway", "ready", "", null, null],
  ["identity", "ready", "", 18_400_000, 12],
  [
    "audit",
    process.env.ARGOSY_MOCK === "degraded" ? "degraded" : "ready",
    process.env.ARGOSY_MOCK === "degraded" ? "its database does not answer; entries wait in the outbox" : "",
    412_000_000,
    7,
  ],
  ["cron", "ready", "", 6_100_000, 3],
].map(([service, state, reason, size, schema]) => ({
  service: service as string,
  state: state as Health["state"],
  version: "0.1.0",
  reason: reason as string,
  since: before(3 * HOUR),
  database_bytes: size as number | null,
  schema_version: schema as number | null,
  detail: state === "ready" ? "" : "[Errno 111] Connection refused",
}));

export const deadLetters: DeadLetter[] = [
  {
    id: idOf(800),
    consumer: "audit.sealer",
    source: "identity",
    event_type: "audit.recorded.v1",
    account: me.account.id,
    key: idOf(900),
    error: "the entry's time is more than an hour ahead of this machine's clock",
    attempts: 8,
    parked: before(2 * HOUR),
  },
];

export const schedules: Schedule[] = [
  ["audit.prune", "audit", "15 3 * * *"],
  ["sessions.sweep", "identity", "*/10 * * * *"],
].map(([name, owner, expression], index) => ({
  id: idOf(850 + index),
  owner: owner as string,
  name: name as string,
  expression: expression as string,
  time_zone: "Europe/Lisbon",
  missed: "one",
  enabled: true,
  next_due: before(-(index === 0 ? 5 * HOUR : 4 * MINUTE)),
  last_due: before(index === 0 ? 19 * HOUR : 6 * MINUTE),
  last_fired: before(index === 0 ? 19 * HOUR : 6 * MINUTE),
}));
