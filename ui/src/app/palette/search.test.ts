import { expect, test } from "vitest";
import { type Command, ranked, together } from "./search";

const command = (title: string, rest: Partial<Command> = {}): Command => ({
  id: title,
  title,
  group: "Go to",
  run: () => {},
  ...rest,
});
const commands = [
  command("Users"),
  command("Service accounts"),
  command("Create user", { group: "Create", also: "new add" }),
  command("Change the theme", { also: "dark light mode" }),
];
const titles = (typed: string) => ranked(commands, typed).map(({ title }) => title);

test("nothing typed shows all in their order", () => {
  expect(titles("")).toEqual(commands.map(({ title }) => title));
});
test("a start counts more than a later word", () => {
  expect(titles("user")).toEqual(["Users", "Create user"]);
});
test("every word must be found", () => {
  expect(titles("create user")).toEqual(["Create user"]);
  expect(titles("create theme")).toEqual([]);
});
test("other words for a thing find it too", () => {
  expect(titles("dark")).toEqual(["Change the theme"]);
  expect(titles("new")).toEqual(["Create user"]);
});
test("letters in order find a longer name", () => {
  expect(titles("svcacc")).toEqual(["Service accounts"]);
});
test("a group has one heading, where its best command stands", () => {
  const mixed = [command("Teams"), command("Create team", { group: "Create" }), command("Why?")];
  expect(together(mixed).map(({ title }) => title)).toEqual(["Teams", "Why?", "Create team"]);
});
test("letters far apart do not find a longer name", () => {
  expect(ranked([command("Create API key"), command("Create service account")], "tea")).toEqual([]);
});
