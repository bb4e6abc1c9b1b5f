import { expect, test } from "vitest";
import { expiryState } from "./expiry";
import { covered, grouped, readOnly } from "./scopes";

const scopes = ["users:write", "users:read", "applications:SYNC", "applications", "audit:read"].map(
  (name) => ({
    name,
    allows: "",
  }),
);

test("scopes stand by resource: everything, then reading, then writing, then single actions", () => {
  expect(grouped(scopes).map(({ title, scopes: own }) => [title, own.map(({ verb }) => verb)])).toEqual([
    ["Users", ["read", "write"]],
    ["Applications", ["", "SYNC"]],
    ["Audit", ["read"]],
  ]);
});
test("what allows everything of a resource covers its single actions", () => {
  expect(covered("applications:SYNC", ["applications"])).toBe(true);
  expect(covered("applications", ["applications"])).toBe(false);
  expect(covered("users:read", ["applications"])).toBe(false);
});
test("read only is what reads", () => {
  expect(readOnly(scopes)).toEqual(["users:read", "audit:read"]);
});
test("an expiry warns two weeks ahead", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(expiryState(null, now)).toBe("never");
  expect(expiryState("2026-02-01T00:00:00Z", now)).toBe("later");
  expect(expiryState("2026-01-10T00:00:00Z", now)).toBe("soon");
  expect(expiryState("2025-12-31T00:00:00Z", now)).toBe("over");
});
