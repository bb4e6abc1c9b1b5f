import { expect, test } from "vitest";
import { steps } from "./steps";

const FIRST_DAY = { passwordChanged: false, users: 1, invitations: 0, teams: 0, keys: 0, rules: 0 };
const done = (found: Partial<typeof FIRST_DAY>) =>
  steps.filter((step) => step.done({ ...FIRST_DAY, ...found })).map((step) => step.id);

test("on the first day nothing is done", () => {
  expect(done({})).toEqual([]);
});
test("an invitation counts before it is accepted, and a second user without one", () => {
  expect(done({ invitations: 1 })).toEqual(["invite"]);
  expect(done({ users: 2 })).toEqual(["invite"]);
});
