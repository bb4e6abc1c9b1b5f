import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { choosePassword } from "./passwords";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterAll(() => server.close());

test("two different passwords are not sent", async () => {
  const choice = { current: "a", new: "b", again: "c" };
  await expect(choosePassword(choice)).rejects.toMatchObject({ field: "again" });
});

test("a weak password is an error of the field where it was chosen", async () => {
  const body = {
    status: 422,
    code: "password.weak",
    name: "Invalid",
    message: "it is short",
    context: { field: "password" },
  };
  server.use(http.post("*/api/me/password", () => HttpResponse.json(body, { status: 422 })));
  const choice = { current: "a", new: "b", again: "b" };
  await expect(choosePassword(choice)).rejects.toMatchObject({ field: "new", message: "It is short." });
});
