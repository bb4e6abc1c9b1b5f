import { expect, test } from "vitest";
import { timeZones } from "./timeZones";

test("UTC comes first, and each zone once", () => {
  const zones = timeZones("Europe/Berlin");
  expect(zones[0]).toBe("UTC");
  expect(new Set(zones).size).toBe(zones.length);
});
test("a zone has the name that people look for, whatever the browser lists", () => {
  expect(timeZones("UTC")).toEqual(expect.arrayContaining(["Asia/Kolkata", "Europe/Kyiv"]));
});
test("the current one is there although the browser does not know it", () => {
  expect(timeZones("Etc/Elsewhere")).toContain("Etc/Elsewhere");
});
