/** Answers `/api` from the fixtures while Vite serves the pages (`ARGOSY_MOCK=1`). Never part of a build. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin } from "vite";
import * as data from "./fixtures.ts";

type Answer = (context: { query: URLSearchParams; id: string; body: Record<string, unknown> }) => unknown;

const one =
  (items: readonly { id: string }[]): Answer =>
  ({ id }) =>
    items.find((item) => item.id === id) ?? notFound;
const notFound = Symbol("not found");
const nothing: Answer = () => ({});

function list(items: readonly object[], matches?: (item: object, query: URLSearchParams) => boolean): Answer {
  return ({ query }) => {
    const search = (query.get("search") ?? "").toLowerCase();
    const found = items.filter(
      (item) => JSON.stringify(item).toLowerCase().includes(search) && (matches?.(item, query) ?? true),
    );
    const from = Number(query.get("after") || 0);
    const limit = Number(query.get("limit") || 50);
    const next = from + limit < found.length ? String(from + limit) : "";
    return { items: found.slice(from, from + limit), next, total: found.length };
  };
}

const equal = (item: object, query: URLSearchParams, names: readonly string[]) =>
  names.every((name) => !query.get(name) || (item as Record<string, unknown>)[name] === query.get(name));

const answers: Record<string, Answer> = {
  "POST /api/auth/login": ({ body }) =>
    body.password === "wrong"
      ? {
          status: 401,
          code: "auth.failed",
          name: "Unauthenticated",
          message: "E-mail or password is wrong.",
          cure: "Check both; after ten tries you must wait.",
        }
      : { expires: data.before(-86_400), must_change_password: false },
  "POST /api/auth/link": () => ({ expires: data.before(-86_400), must_change_password: false }),
  "POST /api/auth/logout": nothing,
  "GET /api/auth/invitation": () => ({
    account: "Meridian",
    email: "pilot@example.com",
    existing_user: false,
  }),
  "GET /api/me": () => data.me,
  "PATCH /api/me": ({ body }) => ({ ...data.me, ...body }),
  "GET /api/me/sessions": list(data.sessions),
  "GET /api/account": () => data.accounts[0],
  "PATCH /api/account": ({ body }) => ({ ...data.accounts[0], ...body }),
  "GET /api/accounts": list(data.accounts),
  "POST /api/accounts": ({ body }) => ({
    ...data.accounts[1],
    ...body,
    one_time_password: body.admin_email ? "tide-lantern-48-copper" : "",
  }),
  "GET /api/administrators": list(data.administrators),
  "POST /api/administrators": () => data.administrators[1],
  "GET /api/users": list(data.users, (item, query) => {
    const team = query.get("team");
    return equal(item, query, ["role"]) && (!team || JSON.stringify(item).includes(team));
  }),
  "GET /api/users/{id}": one(data.users),
  "PATCH /api/users/{id}": one(data.users),
  "POST /api/users": () => ({ user: data.users[4], one_time_password: "tide-lantern-48-copper" }),
  "POST /api/users/{id}/reset-password": () => ({ one_time_password: "tide-lantern-48-copper" }),
  "GET /api/invitations": list(data.invitations),
  "POST /api/invitations": () => ({ invitation: data.invitations[1], token: "inv_2f7c9b1e6d3a4f508c7b" }),
  "GET /api/teams": list(data.teams),
  "GET /api/teams/{id}": one(data.teams),
  "GET /api/service-accounts": list(data.serviceAccounts),
  "GET /api/service-accounts/{id}": one(data.serviceAccounts),
  "GET /api/api-keys": list(data.apiKeys, (item, query) => {
    const owner = (item as (typeof data.apiKeys)[number]).owner.id;
    return query.get("owner")
      ? owner === query.get("owner")
      : query.get("all") === "true" || owner === data.me.id;
  }),
  "GET /api/api-keys/scopes": () => ({ scopes: data.scopes }),
  "POST /api/api-keys": () => ({ key: "argo_7Qm2vXc81KfLp09ZtWq3RbYh5DsJnEu", api_key: data.apiKeys[0] }),
  "GET /api/access-rules": list(data.rules, (item, query) => {
    const team = query.get("team");
    return equal(item, query, ["entity"]) && (!team || JSON.stringify(item).includes(team));
  }),
  "GET /api/access-rules/{id}": one(data.rules),
  "PATCH /api/access-rules/{id}": one(data.rules),
  "GET /api/access/vocabulary": () => ({ entities: data.vocabulary }),
  "POST /api/access/why": ({ body }) => ({
    allowed: body.action === "SYNC",
    sentence:
      body.action === "SYNC"
        ? "East Operator may SYNC applications: the rule “Checkout deploys its own” grants it."
        : "East Operator may not do that: none of the 3 rules about applications grants it.",
    decided_by: body.action === "SYNC" ? "rule" : "no_rule",
    rules: data.rules.slice(0, 4).map(({ id, name }, index) => ({
      rule: { id, name },
      applies: body.action === "SYNC" && index === 1,
      reason: [
        "It grants only VIEW and VIEW_POD_LOGS.",
        "All conditions hold.",
        "It speaks of environments.",
        "It is switched off.",
      ][index],
    })),
  }),
  "GET /api/audit": list(data.entries, (item, query) => equal(item, query, ["kind", "result", "resource"])),
  "GET /api/audit/{id}": one(data.entries),
  "GET /api/audit/verify": () => ({
    whole: true,
    entries: 4213,
    head: data.entries[0]?.hash,
    anchored: 4200,
    problem: "",
    entry: 0,
    chain: "",
    chains: [
      {
        kind: "change",
        first: 1,
        entries: 4213,
        head: data.entries[0]?.hash,
        anchored: 4200,
        problem: "",
        entry: 0,
      },
    ],
  }),
  "GET /api/schedules": list(data.schedules),
  "GET /api/system/services": () => ({ services: data.services }),
  "GET /api/system": () => ({
    version: "0.1.0",
    python: "3.11.2",
    public_url: "http://127.0.0.1:8080",
    started: data.before(3 * 3600),
    services: data.services,
    storage: {
      data_dir: "~/.argosy",
      free_bytes: 61_000_000_000,
      total_bytes: 120_000_000_000,
      database_bytes: 440_000_000,
    },
    backups: [
      {
        file: "argosy-2026-11-17.backup",
        taken: data.before(86_400),
        bytes: 91_000_000,
        clusters: ["local"],
        left_out: ["staging"],
      },
    ],
  }),
  "GET /api/system/dead-letters": ({ query }) => ({
    items: query.get("service") === "audit" ? data.deadLetters : [],
    next: "",
    total: null,
  }),
  "POST /api/system/dead-letters/replay": () => ({ events: 1 }),
  "POST /api/system/dead-letters/discard": () => ({ events: 0 }),
};

/** What the gateway sends: the built pages must live with it. */
const STRICT =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export function mockServer(): Plugin {
  return {
    name: "argosy:mock-server",
    apply: "serve",
    configureServer: ({ middlewares }) => {
      middlewares.use("/api", (request, response) => void serve(request, response));
    },
    configurePreviewServer: ({ middlewares }) => {
      middlewares.use((_, response, next) => {
        response.setHeader("content-security-policy", STRICT);
        next();
      });
      middlewares.use("/api", (request, response) => void serve(request, response));
    },
  };
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(`/api${request.url ?? ""}`, "http://mock.invalid");
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = text ? (JSON.parse(text) as Record<string, unknown>) : {};
  const id = /[0-9a-f]{24}/.exec(url.pathname)?.[0] ?? "";
  if (url.pathname === "/api/audit/follow") return follow(response);
  const found = answers[`${request.method} ${url.pathname.replace(id || "\0", "{id}")}`] ?? nothing;
  const answer = mode(found({ query: url.searchParams, id, body }));
  const status = isError(answer) ? answer.status : 200;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

/** `ARGOSY_MOCK=empty` shows an account on its first day. */
function mode(answer: unknown): unknown {
  if (answer === notFound)
    return {
      status: 404,
      code: "not_found",
      name: "NotFound",
      message: "There is no such thing in this account.",
      cure: "",
      request_id: "6a1f3c",
    };
  const empty =
    process.env.ARGOSY_MOCK === "empty" && typeof answer === "object" && answer !== null && "items" in answer;
  return empty ? { items: [], next: "", total: 0 } : answer;
}

function isError(answer: unknown): answer is { status: number } {
  return (
    typeof answer === "object" && answer !== null && "status" in answer && typeof answer.status === "number"
  );
}

function follow(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    const entry = {
      ...data.entries[0],
      id: data.idOf(50_000 + count),
      time: new Date().toISOString(),
      number: 4213 + count,
    };
    response.write(`data: ${JSON.stringify(entry)}\n\n`);
  }, 3000);
  response.on("close", () => clearInterval(timer));
}
