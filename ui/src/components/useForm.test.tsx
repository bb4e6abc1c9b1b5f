import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { ApiError } from "@/app/api/errors";
import { rootOf, useForm } from "./useForm";

const event = { preventDefault: () => {}, stopPropagation: () => {} } as React.FormEvent;
const refuse = (field: string) => async () => {
  throw new ApiError({ status: 422, code: "x", name: "X", message: "No.", context: { field } });
};

async function submitted(submit: (values: { name: string }) => Promise<unknown>) {
  const form = renderHook(() => useForm({ name: "a" }, submit)).result;
  await act(async () => form.current.onSubmit(event));
  return form;
}

test("an error stands at its field, and goes when the field changes", async () => {
  const form = await submitted(refuse("name"));
  expect(form.current.text("name").error).toBe("No.");
  expect(form.current.error).toBeUndefined();
  act(() => form.current.set({ name: "b" }));
  expect(form.current.text("name").error).toBeUndefined();
});
test("an error of a field that the form does not have stands at its foot", async () => {
  const form = await submitted(refuse("else"));
  expect(form.current.error?.message).toBe("No.");
});
test("a form is dirty from its first change until it is saved", async () => {
  const form = await submitted(async () => {});
  act(() => form.current.set({ name: "b" }));
  expect(form.current.dirty()).toBe(true);
  await act(async () => form.current.onSubmit(event));
  expect(form.current.dirty()).toBe(false);
});
test("what could not be saved is still to be lost", async () => {
  const form = renderHook(() => useForm({ name: "a" }, refuse("name"))).result;
  act(() => form.current.set({ name: "b" }));
  await act(async () => form.current.onSubmit(event));
  expect(form.current.dirty()).toBe(true);
});
test("an error inside a list belongs to the list", () => {
  expect(rootOf("conditions[2].values")).toBe("conditions");
  expect(rootOf("conditions.2")).toBe("conditions");
});
