/** What a page shows instead of itself when it cannot be shown; trying again reloads its data. */
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { ErrorState } from "@/components/ErrorState";
import { Mark } from "@/components/Mark";
import classes from "./Opening.module.css";

export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  const { reset: resetQueries } = useQueryErrorResetBoundary();
  return (
    <ErrorState
      error={error}
      retry={() => {
        resetQueries();
        reset();
        void router.invalidate();
      }}
    />
  );
}

/** The same where there is no shell around it, because not even who is signed in is known. */
export function OuterError(props: { error: unknown; reset: () => void }) {
  return (
    <main className={classes.opening}>
      <Mark size={40} />
      <PageError {...props} />
    </main>
  );
}
