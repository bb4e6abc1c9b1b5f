/** Starts the page: theme, cache, router. The story continues in `routes/tree.ts`. */
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app/theme/fonts.css";
import "./app/theme/mantine.css";
import "virtual:tokens.css";
import "./app/theme/global.css";
import { queries, router } from "./app/router";
import { theme } from "./app/theme/mantine";
import { schemeManager } from "./app/theme/scheme";

const element = document.getElementById("root");
if (!element) throw new Error("index.html has no #root");

createRoot(element).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
