import { describe, expect, test } from "vitest";
import type { EntityVocabulary } from "@/gen/api";
import { complete, type Draft, EMPTY, sentenceOf } from "./draft";
import { labelsOf } from "./labels";

const applications = { name: "applications", title: "Applications", tagged: false } as EntityVocabulary;
const pipelines = { name: "pipeline", title: "Pipelines", tagged: true } as EntityVocabulary;
const teams = [
  { id: "1", name: "Web" },
  { id: "2", name: "Ops" },
  { id: "3", name: "everyone", everyone: true },
];
const said = (change: Partial<Draft>, entity = applications) =>
  sentenceOf({ ...EMPTY, teams: ["1"], actions: ["VIEW"], ...change }, teams, entity);

describe("a rule in a sentence", () => {
  test("without conditions it speaks of all", () => {
    expect(said({})).toBe("On all applications, members of Web may view.");
  });
  test("teams, actions and conditions are joined as people join them", () => {
    expect(
      said({
        teams: ["1", "2"],
        actions: ["VIEW", "SYNC", "APP_ROLLBACK"],
        conditions: [
          { attribute: "NAMESPACE", values: ["a", "b*"], key: "" },
          { attribute: "LABEL", values: ["x"], key: "tier" },
        ],
      }),
    ).toBe(
      "On applications whose namespace is a or b* and whose label tier is x, members of Web and Ops may view, sync and roll back.",
    );
  });
  test("tags are any or all of them, none for the untagged, and every one without tags", () => {
    const tags = (list: string[], tag_logic: Draft["tag_logic"] = "any") =>
      said({ actions: ["run"], tags: list, tag_logic }, pipelines);
    expect(tags(["a", "b"])).toContain("with any of the tags a or b");
    expect(tags(["a", "b"], "all")).toContain("with all of the tags a and b");
    expect(tags(["untagged"])).toContain("with no tag");
    expect(tags(["*"])).toContain("On all pipelines");
    const related = said({ tags: ["a"], related_resource: "project" }, pipelines);
    expect(related).toContain("whose project has the tag a");
  });
  test("the team that all are in is everybody", () => {
    expect(said({ teams: ["3"] })).toBe("On all applications, everybody may view.");
  });
  test("an unfinished rule says what it lacks", () => {
    expect(said({ teams: [], actions: [] })).toBe(
      "Choose teams and actions: so far this rule grants nothing on applications.",
    );
    expect(said({ actions: [] })).toContain("Choose actions:");
    expect(said({ teams: [] })).toContain("Choose teams:");
  });
  test("a rule that is switched off says so", () => {
    expect(said({ enabled: false })).toContain("Switched off");
  });
  test("a condition without values, or a label without a key, is not sent", () => {
    expect(
      complete([
        { attribute: "NAMESPACE", values: [], key: "" },
        { attribute: "LABEL", values: ["x"], key: "" },
        { attribute: "CLUSTER", values: ["c"], key: "" },
      ]),
    ).toEqual([{ attribute: "CLUSTER", values: ["c"], key: "" }]);
  });
});

test("labels are read as key=value, and a value may hold an equals sign", () => {
  expect(labelsOf(["a=b=c", " d = e ", "f", "=g"])).toEqual({ a: "b=c", d: "e", f: "" });
});
