/** The last changes in the account, from the audit log. */
import { Skeleton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAnswer } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { Section } from "@/components/Page";
import { Time } from "@/components/Time";
import { objectOf, verbOf } from "../audit/words";
import classes from "./Welcome.module.css";

export function Recent() {
  const entries = useAnswer(
    "audit.entries",
    { kind: "change", result: "ok", limit: 6 },
    { refetchInterval: 30_000 },
  );
  return (
    <Section title="Lately" actions={<Link to="/settings/audit">Audit log</Link>}>
      {entries.error ? (
        <ErrorState error={entries.error} retry={() => void entries.refetch()} />
      ) : (
        <ul className={classes.recent}>
          {entries.isPending &&
            [1, 2, 3, 4, 5, 6].map((row) => (
              <li key={row}>
                <Skeleton height={10} my={5} width="60%" />
                <Skeleton height={10} my={5} width={80} />
              </li>
            ))}
          {entries.data?.items.map((entry) => (
            <li key={entry.id}>
              <Link to="/settings/audit/$id" params={{ id: entry.id }} className={classes.entry}>
                <strong>{entry.actor.name}</strong> {verbOf(entry)} <strong>{objectOf(entry)}</strong>
              </Link>
              <span className="dim">
                <Time at={entry.time} />
              </span>
            </li>
          ))}
          {entries.data?.items.length === 0 && <li className="dim">Nothing has been changed yet.</li>}
        </ul>
      )}
    </Section>
  );
}
