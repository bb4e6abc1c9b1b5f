import { describe, expect, test } from "vitest";
import { changed, filtersOf, nextSort } from "./filters";

const read = filtersOf({ search: "text", role: ["admin", "user"] });

describe("filters in the URL", () => {
  test("known names with acceptable values are kept", () => {
    expect(read({ search: "ann", role: "admin" })).toEqual({ search: "ann", role: "admin" });
  });
  test("what the list does not know is dropped", () => {
    expect(read({ search: "", role: "owner", page: "3", next: {} })).toEqual({});
  });
  test("a number that the URL parser made of a search is a word again", () => {
    expect(read({ search: 42 })).toEqual({ search: "42" });
  });
  test("a value longer than the server takes is cut", () => {
    expect(read({ search: "x".repeat(300) }).search).toHaveLength(200);
  });
  test("an empty value leaves the URL and the others stay", () => {
    expect(changed({ search: "ann", role: "admin" }, { search: "" })).toEqual({ role: "admin" });
  });
  test("a column sorts up, then down, then not at all", () => {
    expect(nextSort("", "name")).toBe("name");
    expect(nextSort("name", "name")).toBe("-name");
    expect(nextSort("-name", "name")).toBe("");
    expect(nextSort("-name", "created")).toBe("created");
  });
});
