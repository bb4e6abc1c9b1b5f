/** The router over `routes/tree`, with the cache of answers at hand. A session that ended leads to the sign-in page. */
import { createRouter } from "@tanstack/react-router";
import { NotFound } from "@/app/shell/NotFound";
import { PageOpening } from "@/app/shell/Opening";
import { PageError } from "@/app/shell/PageError";
import { tree } from "@/routes/tree";
import { makeQueryClient } from "./api/queries";

export const queries = makeQueryClient(() => {
  const { pathname, href } = router.state.location;
  if (pathname.startsWith("/sign-in") || pathname === "/invitation") return;
  queries.clear();
  void router.navigate({ to: "/sign-in", search: { next: href } });
});

export const router = createRouter({
  routeTree: tree,
  context: { queries },
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageError,
  defaultPendingComponent: PageOpening,
  defaultPendingMs: 500,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
