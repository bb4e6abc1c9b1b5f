/**
 * The tokens as one static stylesheet, made when Vite starts (`build/tokens-plugin.ts`). Mantine would inject its
 * variables at run time, which a CSP without 'unsafe-inline' rightly refuses.
 */
import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from "@mantine/core";
import { theme } from "./mantine.ts";
import { radius, roles, space, text } from "./tokens.ts";

type Variables = Record<string, string>;

export function stylesheet(): string {
  const mantine = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  const used = (variables: Variables) =>
    Object.fromEntries(Object.entries(variables).filter(([name]) => !UNUSED.test(name)));
  return [
    block(":root", { ...used(mantine.variables), ...fixed() }),
    block(":root[data-mantine-color-scheme='light']", { ...used(mantine.light), ...mantineRoles("light") }),
    block(":root[data-mantine-color-scheme='dark']", { ...used(mantine.dark), ...mantineRoles("dark") }),
  ].join("\n");
}

/** Mantine's own colours that no page of ours may use. */
const UNUSED =
  /--mantine-color-(pink|grape|violet|indigo|blue|cyan|teal|green|lime|yellow|orange)-|--mantine-h\d|--mantine-heading/;

function fixed(): Variables {
  const variables: Variables = {};
  for (const [name, value] of Object.entries(space)) variables[`--space-${name}`] = `${value}px`;
  for (const [name, value] of Object.entries(radius)) variables[`--radius-${name}`] = value;
  for (const [name, [size, line]] of Object.entries(text)) variables[`--text-${name}`] = `${size}/${line}`;
  for (const [name, [size, line]] of Object.entries(text)) {
    variables[`--size-${name}`] = size;
    variables[`--line-${name}`] = line;
  }
  return variables;
}

function mantineRoles(scheme: "light" | "dark"): Variables {
  const variables: Variables = { "color-scheme": scheme };
  for (const [name, value] of Object.entries(roles[scheme])) variables[`--${name}`] = value;
  const same: Variables = {
    body: "page",
    text: "text",
    dimmed: "text-dim",
    error: "bad",
    anchor: "accent",
    placeholder: "text-dim",
    "default-border": "line-strong",
    "default-hover": "hover",
    default: "raised",
  };
  for (const [mantine, role] of Object.entries(same))
    variables[`--mantine-color-${mantine}`] = `var(--${role})`;
  return variables;
}

function block(selector: string, variables: Variables): string {
  const lines = Object.entries(variables).map(([name, value]) => `  ${name}: ${value};`);
  return `${selector} {\n${lines.join("\n")}\n}\n`;
}
