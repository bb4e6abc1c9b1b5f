import { afterEach, expect, test, vi } from "vitest";
import { type Ahead, held, NOTHING, typeahead } from "./typeahead";

const after = (...keys: string[]) => keys.reduce((ahead: Ahead, key) => held(ahead, key) ?? ahead, NOTHING);
const press = (key: string, rest: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...rest });
  document.body.dispatchEvent(event);
  return event;
};
afterEach(() => void typeahead.take());

test("letters gather and can be taken back", () => {
  expect(after("a", "b", "x", "Backspace", "c").typed).toBe("abc");
  expect(after("Backspace").typed).toBe("");
});
test("arrows choose from the first on, and a further letter starts anew", () => {
  expect(after("ArrowUp", "ArrowDown", "ArrowDown").at).toBe(2);
  expect(after("ArrowDown", "a").at).toBe(0);
});
test("nothing counts after Enter", () => {
  expect(after("a", "Enter", "b", "Enter")).toEqual({ typed: "a", at: 0, enter: true });
});
test("Escape calls the wish off", () => {
  const cancel = vi.fn();
  typeahead.start(cancel);
  press("Escape");
  expect(cancel).toHaveBeenCalledOnce();
});
test("while it waits, keys reach nobody else; afterwards they do", () => {
  const heard: string[] = [];
  const listener = (event: KeyboardEvent) => heard.push(event.key);
  window.addEventListener("keydown", listener);
  typeahead.start(() => {});
  expect(press("a").defaultPrevented).toBe(true);
  press("k", { ctrlKey: true });
  expect(typeahead.take().typed).toBe("a");
  press("b");
  window.removeEventListener("keydown", listener);
  expect(heard).toEqual(["k", "b"]);
});
test("what was taken is gone, and a new wish starts empty", () => {
  typeahead.start(() => {});
  press("a");
  typeahead.start(() => {});
  press("b");
  expect(typeahead.take().typed).toBe("b");
  expect(typeahead.take()).toEqual(NOTHING);
});
