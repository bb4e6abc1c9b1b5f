/** One entry: who, from where, what, and what was before and after. */
import { Skeleton } from "@mantine/core";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useAnswer } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { Facts } from "@/components/Facts";
import { SidePanel } from "@/components/SidePanel";
import { Time } from "@/components/Time";
import type { Entry } from "@/gen/api";
import { DiffView } from "./DiffView";
import { ResultMark } from "./ResultMark";
import { verbOf } from "./words";

export function EntryPanel() {
  const { id } = useParams({ from: "/in/shell/settings/audit/$id" });
  const navigate = useNavigate();
  const entry = useAnswer("audit.entry", { id }, { staleTime: Number.POSITIVE_INFINITY });
  return (
    <SidePanel
      reading
      title={entry.data ? `Entry ${entry.data.number ?? ""}` : "Entry"}
      onClose={() => void navigate({ to: "/settings/audit", search: true })}
      wide
    >
      {entry.error && <ErrorState error={entry.error} retry={() => void entry.refetch()} />}
      {entry.isPending && <Skeleton height={320} />}
      {entry.data && <Details entry={entry.data} />}
    </SidePanel>
  );
}

function Details({ entry }: { entry: Entry }) {
  return (
    <>
      <Facts
        facts={[
          [
            "Who",
            <span key="who">
              <Link to="/settings/audit" search={{ actor: entry.actor.id }}>
                {entry.actor.name || "Somebody unknown"}
              </Link>{" "}
              <span className="dim">
                {entry.actor.kind.replaceAll("_", " ")}
                {entry.actor.credential && `, by ${entry.actor.credential.split(":", 1)[0]}`}
              </span>
            </span>,
          ],
          ["What", verbOf(entry)],
          [
            "On",
            <span key="on">
              {entry.resource}{" "}
              {entry.resource_id ? (
                <Link to="/settings/audit" search={{ resource_id: entry.resource_id }}>
                  {entry.resource_name || entry.resource_id}
                </Link>
              ) : (
                entry.resource_name
              )}
            </span>,
          ],
          ["Result", <ResultMark key="result" result={entry.result} />],
          ...(entry.error ? ([["Because", entry.error]] as const) : []),
          ["When", <Time key="when" at={entry.time} exactly />],
          [
            "From",
            <span key="from" className="mono">
              {entry.remote}
            </span>,
          ],
          ["With", entry.user_agent],
          ["Request", <code key="request">{entry.request_id}</code>],
          ["Chain hash", <code key="hash">{entry.hash}</code>],
        ]}
      />
      {entry.kind === "change" && (
        <section aria-label="Before and after">
          <h3>Before and after</h3>
          <DiffView before={entry.before} after={entry.after} />
        </section>
      )}
    </>
  );
}
