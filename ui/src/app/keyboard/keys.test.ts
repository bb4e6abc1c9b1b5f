import { expect, test } from "vitest";
import { nameOf, type Shortcut, step } from "./keys";

const press = (key: string, rest = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...rest,
});
const shortcut = (keys: string): Shortcut => ({ keys, says: keys, group: "", run: () => {} });
const all = [shortcut("g u"), shortcut("g t"), shortcut("c"), shortcut("mod+k")];

test("a chord has one name on every system", () => {
  expect(nameOf(press("k", { metaKey: true }))).toBe("mod+k");
  expect(nameOf(press("K", { ctrlKey: true, shiftKey: true }))).toBe("mod+k");
  expect(nameOf(press("Escape"))).toBe("Escape");
});
test("a sequence waits for its second key", () => {
  const first = step("", "g", all);
  expect(first.shortcut).toBeUndefined();
  expect(step(first.pending, "u", all).shortcut?.keys).toBe("g u");
});
test("a key that does not complete a sequence counts for itself", () => {
  expect(step("g", "c", all).shortcut?.keys).toBe("c");
});
test("what means nothing forgets what came before", () => {
  expect(step("g", "x", all)).toEqual({ pending: "" });
});
test("what was registered last wins", () => {
  const later = shortcut("c");
  expect(step("", "c", [...all, later]).shortcut).toBe(later);
});
