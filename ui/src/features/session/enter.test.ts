import { beforeEach, expect, test } from "vitest";
import { insidePath, takeToken } from "./enter";

beforeEach(() => window.history.replaceState(null, "", "/"));

test("after signing in one goes on to a page of our own", () => {
  expect(insidePath("/settings/users?role=admin#x")).toBe("/settings/users?role=admin#x");
});
test.each([
  "//evil.example",
  "https://evil.example",
  "/\\evil.example",
  "javascript:alert(1)",
  "",
  undefined,
])("%s leads home, not elsewhere", (next) => {
  expect(insidePath(next)).toBe("/");
});
test("a token is taken from the fragment and leaves the address bar", () => {
  window.history.replaceState(null, "", "/sign-in#link=abc");
  expect(takeToken("link")).toBe("abc");
  expect(window.location.hash).toBe("");
});
test("a token in the query is taken too", () => {
  window.history.replaceState(null, "", "/sign-in/link?token=abc");
  expect(takeToken("link")).toBe("abc");
  expect(window.location.search).toBe("");
});
