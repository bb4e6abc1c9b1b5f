import { expect, test } from "vitest";
import { operationsOf } from "./operations";

const values = (kind: "read" | "all" | undefined) => operationsOf(kind).map(({ value }) => value);

test("changes are what is looked for first, and signing in is one", () => {
  expect(values(undefined)).toEqual(expect.arrayContaining(["create_team", "add_administrator", "sign_in"]));
  expect(values(undefined)).not.toContain("teams");
});
test("reads are reads alone, and both are both", () => {
  expect(values("read")).toContain("teams");
  expect(values("read")).not.toContain("sign_in");
  expect(values("all")).toEqual(expect.arrayContaining(["teams", "create_team", "sign_in"]));
});
test("each is offered once, in words", () => {
  expect(new Set(values("all")).size).toBe(values("all").length);
  expect(operationsOf(undefined)).toContainEqual({ value: "create_api_key", label: "create api key" });
});
