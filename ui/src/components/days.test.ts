import { expect, test } from "vitest";
import { dayBegins } from "./days";

test.each([
  ["2026-11-18", "UTC", 0, "2026-11-18T00:00:00.000Z"],
  ["2026-11-18", "Europe/Berlin", 0, "2026-11-17T23:00:00.000Z"],
  ["2026-07-01", "America/New_York", 0, "2026-07-01T04:00:00.000Z"],
  ["2026-11-18", "Asia/Kathmandu", 1, "2026-11-18T18:15:00.000Z"],
  ["2026-12-31", "UTC", 1, "2027-01-01T00:00:00.000Z"],
])("%s in %s, %i days later, begins at %s", (day, zone, later, moment) => {
  expect(dayBegins(day, zone, later)).toBe(moment);
});
test("the days on which clocks change begin and end by their own clocks", () => {
  expect(dayBegins("2026-03-29", "Europe/Berlin")).toBe("2026-03-28T23:00:00.000Z");
  expect(dayBegins("2026-03-29", "Europe/Berlin", 1)).toBe("2026-03-29T22:00:00.000Z");
  expect(dayBegins("2026-11-01", "America/New_York", 1)).toBe("2026-11-02T05:00:00.000Z");
});
test.each(["", "2026-13-01", "yesterday", "2026-1-1"])("“%s” is no day", (word) => {
  expect(dayBegins(word, "UTC")).toBe("");
});
