import { expect, test } from "vitest";
import { ago, bytes, exact, wallClock } from "./moments";

const NOW = Date.parse("2026-03-29T01:30:00Z");
const back = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

test.each([
  [5, "just now"],
  [-30, "in a moment"],
  [60, "1 minute ago"],
  [3 * 3600, "3 hours ago"],
  [-2 * 86_400, "in 2 days"],
  [70 * 86_400, "2 months ago"],
  [800 * 86_400, "2 years ago"],
])("%i seconds back reads “%s”", (seconds, words) => {
  expect(ago(back(seconds), NOW)).toBe(words);
});
test("the exact time is in the zone that is asked for, also on the day the clocks change", () => {
  expect(exact("2026-03-29T00:59:59Z", "Europe/Lisbon")).toContain("00:59:59");
  expect(exact("2026-03-29T01:00:00Z", "Europe/Lisbon")).toContain("02:00:00");
});
test.each([
  [0, "0 B"],
  [1500, "1.5 KB"],
  [91_000_000, "91 MB"],
])("%i bytes are %s", (count, words) => {
  expect(bytes(count)).toBe(words);
});
test("a clock on the wall shows the hour of its place", () => {
  expect(wallClock("UTC", NOW)).toBe("Sun 29 Mar, 01:30");
  expect(wallClock("Europe/Berlin", NOW)).toBe("Sun 29 Mar, 03:30");
  expect(wallClock("Nowhere/Atlantis", NOW)).toBe("");
});
