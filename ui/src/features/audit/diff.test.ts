import { describe, expect, test } from "vitest";
import { changes } from "./diff";

const kinds = (before: unknown, after: unknown) =>
  changes(before, after).map(({ path, kind }) => [path, kind]);

describe("the difference of two values", () => {
  test("names each field that changed, came or went, and those that stayed", () => {
    expect(kinds({ a: 1, b: 2, c: 3 }, { a: 1, b: 5, d: 4 })).toEqual([
      ["a", "same"],
      ["b", "changed"],
      ["c", "removed"],
      ["d", "added"],
    ]);
  });
  test("goes into nested objects by path", () => {
    expect(kinds({ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } })).toEqual([["a.b.c", "changed"]]);
  });
  test("finds things in a list by name, so that an insertion changes nothing else", () => {
    expect(
      kinds(
        [{ name: "x", n: 1 }],
        [
          { name: "w", n: 0 },
          { name: "x", n: 1 },
        ],
      ),
    ).toEqual([
      ["[x].name", "same"],
      ["[x].n", "same"],
      ["[w].name", "added"],
      ["[w].n", "added"],
    ]);
  });
  test("compares lists of words by their words", () => {
    expect(kinds({ actions: ["VIEW"] }, { actions: ["SYNC", "VIEW"] })).toEqual([
      ["actions[VIEW]", "same"],
      ["actions[SYNC]", "added"],
    ]);
  });
  test("all of what was made is added, all of what was removed is gone", () => {
    expect(kinds(null, { a: 1 })).toEqual([["a", "added"]]);
    expect(kinds({ a: { b: 1 } }, null)).toEqual([["a.b", "removed"]]);
  });
  test("an object that became a word is one change", () => {
    expect(kinds({ a: { b: 1 } }, { a: "x" })).toEqual([["a", "changed"]]);
  });
  test("nothing before and after is no change", () => {
    expect(changes(null, null)).toEqual([]);
  });
});
