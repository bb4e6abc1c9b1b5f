/** Serves `virtual:tokens.css` from the tokens; a change of a token in dev reloads the page. */
import type { Plugin } from "vite";
import { stylesheet } from "../src/app/theme/stylesheet.ts";

const NAME = "virtual:tokens.css";

export function tokens(): Plugin {
  return {
    name: "argosy:tokens",
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? stylesheet() : undefined),
  };
}
