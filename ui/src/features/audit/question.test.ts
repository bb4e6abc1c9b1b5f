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
  actor: { kind: "user", id: "1", name: "North", credential: "" },
} as Entry;

describe("what the audit log is asked", () => {
  test("changes only, unless reads are wanted", () => {
    expect(questionOf({}, NOW).kind).toBe("change");
    expect(questionOf({ kind: "read" }, NOW).kind).toBe("read");
    expect(questionOf({ kind: "all" }, NOW).kind).toBe("");
  });
  test("a range begins on a whole minute", () => {
    expect(questionOf({ range: "1h" }, NOW).since).toBe("2026-11-18T11:34:00.000Z");
  });
  test("the export asks for the same and names its format", () => {
    expect(exportUrl({ search: "a b", result: "denied", live: "on" }, "csv", NOW)).toBe(
      "/api/audit/export?format=csv&search=a+b&result=denied&kind=change",
    );
  });
  test("the log of the installation is another one, and its export too", () => {
    expect(questionOf({ log: "installation" }, NOW).installation).toBe(true);
    expect(exportUrl({ log: "installation" }, "jsonl", NOW)).toContain("installation=true");
  });
  test("a followed entry is shown when all filters match it", () => {
    expect(matches(entry, { kind: "change", search: "PLAT", actor: "1" })).toBe(true);
    expect(matches(entry, { kind: "read" })).toBe(false);
    expect(matches(entry, { search: "south" })).toBe(false);
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
