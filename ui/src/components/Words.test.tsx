import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Words } from "./Words";

test("a command between backticks is set as code", () => {
  const { container } = render(<Words>{"Try again; `argosy status` tells more."}</Words>);
  expect(screen.getByText("argosy status").tagName).toBe("CODE");
  expect(container.textContent).toBe("Try again; argosy status tells more.");
});
test("a lone backtick stays what it is", () => {
  const { container } = render(<Words>{"A ` alone"}</Words>);
  expect(container.textContent).toBe("A ` alone");
});
