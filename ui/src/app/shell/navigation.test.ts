import { expect, test } from "vitest";
import { placeAt, placesFor } from "./navigation";

const titles = (role: string, platform_admin = false) =>
  placesFor({ account: { role }, platform_admin }).flatMap((group) => group.places.map(({ title }) => title));

test("a place holds what is below it, and no neighbour with a like name", () => {
  expect(placeAt("/settings/users/invitations/new")?.title).toBe("Users");
  expect(placeAt("/settings/accounts")?.title).toBe("Accounts");
  expect(placeAt("/settings/account")?.title).toBe("Account settings");
  expect(placeAt("/")?.title).toBe("Home");
  expect(placeAt("/nowhere")).toBeUndefined();
});
test("a user is shown no place that only admins may enter", () => {
  expect(titles("user")).not.toContain("Audit log");
  expect(titles("admin")).toContain("Audit log");
  expect(titles("admin")).not.toContain("System");
  expect(titles("user", true)).toContain("System");
});
