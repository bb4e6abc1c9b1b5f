import { describe, expect, test } from "vitest";
import type { Entry } from "@/gen/api";
import { exportUrl, matches, questionOf } from "./question";
import { verbOf } from "./words";

const NOW = Date.parse("2026-11-18T12:34:56Z");
const entry = {
  kind: "change",
  result: "ok",
  resource: "team",
  resource_id: "7",
  resource_name: "Platform",
  operation: "create_team",
  time: "2026-11-18T12:00:00Z",
  actor: { kind: "user", id: "1", name: "North", credential: "" },
} as Entry;

describe("what the audit log is asked", () => {
  test("changes only, unless reads are wanted", () => {
    expect(questionOf({}, NOW, "UTC").kind).toBe("change");
    expect(questionOf({ kind: "read" }, NOW, "UTC").kind).toBe("read");
    expect(questionOf({ kind: "all" }, NOW, "UTC").kind).toBe("");
  });
  test("a range begins on a whole minute", () => {
    expect(questionOf({ range: "1h" }, NOW, "UTC").since).toBe("2026-11-18T11:34:00.000Z");
  });
  test("days of one's own time zone make a range, the last one included", () => {
    const filters = { range: "custom", from: "2026-11-01", to: "2026-11-18" };
    expect(questionOf(filters, NOW, "Europe/Berlin")).toEqual({
      kind: "change",
      since: "2026-10-31T23:00:00.000Z",
      until: "2026-11-18T23:00:00.000Z",
    });
    expect(questionOf({ range: "custom", to: "2026-11-18" }, NOW, "UTC").since).toBeUndefined();
  });
  test("days that no range asks for, or that are none, say nothing", () => {
    expect(questionOf({ from: "2026-11-01" }, NOW, "UTC")).toEqual({ kind: "change" });
    expect(questionOf({ range: "custom", from: "soon" }, NOW, "UTC")).toEqual({ kind: "change" });
  });
  test("the export asks for the same and names its format", () => {
    expect(exportUrl({ search: "a b", result: "denied", live: "on" }, "csv", NOW, "UTC")).toBe(
      "/api/audit/export?format=csv&search=a+b&result=denied&kind=change",
    );
  });
  test("the log of the installation is another one, and its export too", () => {
    expect(questionOf({ log: "installation" }, NOW, "UTC").installation).toBe(true);
    expect(exportUrl({ log: "installation" }, "jsonl", NOW, "UTC")).toContain("installation=true");
  });
  test("a followed entry is shown when all filters match it", () => {
    expect(matches(entry, { kind: "change", search: "PLAT", actor: "1" })).toBe(true);
    expect(matches(entry, { kind: "read" })).toBe(false);
    expect(matches(entry, { search: "south" })).toBe(false);
    expect(matches(entry, { operation: "create_team", since: "2026-11-18T12:00:00Z" })).toBe(true);
    expect(matches(entry, { operation: "change_team" })).toBe(false);
    expect(matches(entry, { until: "2026-11-18T12:00:00Z" })).toBe(false);
    expect(matches(entry, { since: "2026-11-18T12:00:01Z" })).toBe(false);
  });
});

describe("an entry in words", () => {
  test.each([
    ["create_api_key", "ok", "created API key"],
    ["change_team", "denied", "tried to change team"],
    ["sign_in", "failed", "tried to sign in"],
    ["audit.verify", "ok", "verified the audit log"],
    ["first_run", "ok", "set up the installation"],
    ["vacuum", "ok", "did vacuum"],
  ] as const)("%s with result %s reads “%s”", (operation, result, words) => {
    expect(verbOf({ operation, result, kind: "change" })).toBe(words);
  });
});
