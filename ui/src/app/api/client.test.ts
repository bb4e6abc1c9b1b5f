import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { address, ask, queryString } from "./client";
import { ApiError, isFinal } from "./errors";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => undefined,
    (problem: unknown) => problem,
  );
  if (!(error instanceof ApiError)) throw new Error(`not an ApiError: ${error}`);
  return error;
}

describe("where a question goes", () => {
  test("names in the path are filled and encoded, the rest of a read is its query", () => {
    expect(address("identity.user", { id: "a/b" }).url).toBe("/api/users/a%2Fb");
    expect(address("identity.users", { search: "x y", team: "" }).url).toBe("/api/users?search=x+y");
  });
  test("the rest of a write is its JSON body", () => {
    const { method, url, body } = address("identity.change_user", { id: "7", role: "admin", name: null });
    expect([method, url, body]).toEqual(["PATCH", "/api/users/7", '{"role":"admin","name":null}']);
  });
  test("what says nothing is left out of a query", () => {
    expect(queryString({ a: "", b: false, c: undefined, d: 0 })).toBe("?d=0");
    expect(queryString({})).toBe("");
  });
});

describe("what the server answers", () => {
  test("an error keeps its code, cure, field and request id", async () => {
    const body = {
      status: 422,
      code: "invalid",
      name: "Invalid",
      message: "The name is taken.",
      cure: "Choose another.",
      context: { field: "name" },
      request_id: "r1",
    };
    server.use(http.post("*/api/teams", () => HttpResponse.json(body, { status: 422 })));
    const error = await failure(ask("identity.create_team", { name: "x" }));
    expect(error).toMatchObject({ code: "invalid", cure: "Choose another.", field: "name", requestId: "r1" });
    expect(isFinal(error)).toBe(true);
  });
  test("an answer that is no error of ours names its status and the request id of its header", async () => {
    const headers = { "x-request-id": "r2" };
    server.use(http.get("*/api/me", () => new HttpResponse("<html>", { status: 502, headers })));
    const error = await failure(ask("identity.me", {}));
    expect(error).toMatchObject({ status: 502, requestId: "r2" });
    expect(error.message).toContain("502");
    expect(isFinal(error)).toBe(false);
  });
  test("no answer says that the server cannot be reached", async () => {
    server.use(http.get("*/api/me", () => HttpResponse.error()));
    expect(await failure(ask("identity.me", {}))).toMatchObject({ code: "unreachable", status: 0 });
  });
  test("too many requests may be asked again", () => {
    const body = {
      status: 429,
      code: "rate_limited",
      name: "TooMany",
      message: "Wait.",
      context: { retry_after: 3 },
    };
    const error = new ApiError(body);
    expect(error.retryAfter).toBe(3);
    expect(isFinal(error)).toBe(false);
  });
});
