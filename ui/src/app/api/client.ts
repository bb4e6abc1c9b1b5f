/**
 * One way to the server: `ask("identity.users", { limit: 50 })`. The types of question and answer come from the
 * contracts (`gen/api.ts`); how answers are cached is in `queries.ts`.
 */
import type * as api from "@/gen/api";
import { routes } from "@/gen/api";
import { errorOf, unreachable } from "./errors";

/** What the gateway answers itself, beside the services' routes. */
interface Edge {
  "edge.login": { request: api.Login; response: api.LoggedIn };
  "edge.link": { request: api.LoginLink; response: api.LoggedIn };
  "edge.logout": { request: Nothing; response: Nothing };
  "edge.accept_invitation": { request: api.Accept; response: api.LoggedIn };
  "edge.invitation": { request: { token: string }; response: api.InvitationPreview };
  "edge.version": { request: Nothing; response: api.Version };
  "edge.system": { request: Nothing; response: api.System };
  "edge.services": { request: Nothing; response: api.ServiceStates };
  "edge.dead_letters": {
    request: api.ServiceDeadLetters;
    response: api.Page<api.DeadLetter>;
  };
  "edge.replay": { request: api.ServiceReplay; response: api.Replayed };
  "edge.discard": { request: api.ServiceDiscard; response: api.Replayed };
}
type Nothing = Record<string, never>;

const edge = {
  "edge.login": { method: "POST", path: "/api/auth/login" },
  "edge.link": { method: "POST", path: "/api/auth/link" },
  "edge.logout": { method: "POST", path: "/api/auth/logout" },
  "edge.accept_invitation": { method: "POST", path: "/api/auth/accept-invitation" },
  "edge.invitation": { method: "GET", path: "/api/auth/invitation" },
  "edge.version": { method: "GET", path: "/api/version" },
  "edge.system": { method: "GET", path: "/api/system" },
  "edge.services": { method: "GET", path: "/api/system/services" },
  "edge.dead_letters": { method: "GET", path: "/api/system/dead-letters" },
  "edge.replay": { method: "POST", path: "/api/system/dead-letters/replay" },
  "edge.discard": { method: "POST", path: "/api/system/dead-letters/discard" },
} as const satisfies Record<keyof Edge, { method: string; path: string }>;

export type Operations = api.Operations & Edge;
export type Operation = keyof Operations;
export type Request<O extends Operation> = Operations[O]["request"];
export type Response<O extends Operation> = Operations[O]["response"];

const places: Record<Operation, { method: string; path: string }> = { ...routes, ...edge };
const DEADLINE = 60_000;

export async function ask<O extends Operation>(
  operation: O,
  request: Request<O>,
  signal?: AbortSignal,
): Promise<Response<O>> {
  const { method, url, body } = address(operation, request as Record<string, unknown>);
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  const deadline = AbortSignal.timeout(DEADLINE);
  let answer: globalThis.Response;
  try {
    answer = await fetch(url, {
      method,
      headers,
      body,
      credentials: "same-origin",
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
  if (!answer.ok) throw await errorOf(answer);
  if (answer.status === 204) return {} as Response<O>;
  return (await answer.json()) as Response<O>;
}

/** Names in the path are filled from the request; what remains is the query of a read or the body of a write. */
export function address(operation: Operation, request: Record<string, unknown>) {
  const { method, path } = places[operation];
  const rest = { ...request };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]));
    delete rest[name];
    return value;
  });
  if (method === "GET" || method === "DELETE")
    return { method, url: filled + queryString(rest), body: undefined };
  return { method, url: filled, body: JSON.stringify(rest) };
}

/** Empty values say nothing and are left out. */
export function queryString(values: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === "" || value === false) continue;
    query.set(name, String(value));
  }
  const text = query.toString();
  return text && `?${text}`;
}
