/** Where one is signed in, and the end of any of it. */
import { Button, Skeleton } from "@mantine/core";
import { asApiError } from "@/app/api/errors";
import { useAct, usePages } from "@/app/api/queries";
import { Chip } from "@/components/Chip";
import { ErrorState } from "@/components/ErrorState";
import { Section } from "@/components/Page";
import { Time } from "@/components/Time";
import { toast } from "@/components/toasts";
import type { SessionInfo } from "@/gen/api";
import { browserOf } from "./browser";
import classes from "./Profile.module.css";

export function Sessions() {
  const listing = usePages("identity.sessions", {});
  return (
    <Section
      title="Sessions"
      about="Where you are signed in. End what you do not recognise, then change your password."
    >
      <div className={classes.sessions}>
        {listing.error && <ErrorState error={listing.error} retry={listing.retry} />}
        {listing.loading && <Skeleton height={56} />}
        {listing.items.length > 0 && (
          <ul>
            {listing.items.map((session) => (
              <Session key={session.id} session={session} />
            ))}
          </ul>
        )}
        {listing.more && (
          <Button variant="subtle" color="gray" onClick={listing.more} loading={listing.loadingMore}>
            Load more
          </Button>
        )}
      </div>
    </Section>
  );
}

function Session({ session }: { session: SessionInfo }) {
  const end = useAct("identity.end_session", ["identity.sessions"]);
  async function finish() {
    try {
      await end.mutateAsync({ id: session.id });
      toast("Session ended");
    } catch (error) {
      toast(asApiError(error).message, { tone: "bad" });
    }
  }
  return (
    <li>
      <div>
        <div className={classes.what}>
          <span title={session.user_agent}>{browserOf(session.user_agent)}</span>
          {session.current && <Chip>This session</Chip>}
        </div>
        <div className={classes.where}>
          <span className="mono">{session.remote}</span>
          <span>
            seen <Time at={session.last_seen} />
          </span>
          <span>
            began <Time at={session.created} />
          </span>
        </div>
      </div>
      {!session.current && (
        <Button variant="default" onClick={finish} loading={end.isPending}>
          End
        </Button>
      )}
    </li>
  );
}
