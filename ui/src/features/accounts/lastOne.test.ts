import { expect, test } from "vitest";
import type { Administrator } from "@/gen/api";
import { lastOne } from "./lastOne";

const one = (id: string, status: Administrator["status"] = "active"): Administrator => ({
  id,
  name: id,
  email: `${id}@example.com`,
  status,
  last_seen: null,
});

test("one alone must stay", () => {
  expect(lastOne([one("a")])?.id).toBe("a");
});
test("of two either may go", () => {
  expect(lastOne([one("a"), one("b")])).toBeUndefined();
});
test("those who cannot sign in do not count, those who have not yet do", () => {
  expect(lastOne([one("a"), one("b", "disabled")])?.id).toBe("a");
  expect(lastOne([one("a"), one("b", "invited")])).toBeUndefined();
});
test("while nothing is loaded nobody is the last", () => {
  expect(lastOne([])).toBeUndefined();
});
