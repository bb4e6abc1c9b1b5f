/** Events that were set aside, per service: another try for all of one key in their order, or one given up for good. */
import { Skeleton } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { asApiError } from "@/app/api/errors";
import { answerTo, useAct } from "@/app/api/queries";
import { Confirm } from "@/components/Confirm";
import { ErrorState } from "@/components/ErrorState";
import { RowMenu } from "@/components/RowMenu";
import { StatusMark } from "@/components/StatusMark";
import { Time } from "@/components/Time";
import { toast } from "@/components/toasts";
import type { DeadLetter } from "@/gen/api";
import classes from "./System.module.css";
import { Table } from "./Table";

const SHOWN = 50;

export function DeadLetters({ services }: { services: readonly string[] }) {
  const answers = useQueries({
    queries: services.map((service) => answerTo("edge.dead_letters", { service, limit: SHOWN })),
  });
  const failed = answers.find((answer) => answer.error);
  if (answers.some((answer) => answer.isPending)) return <Skeleton height={40} />;
  const letters = answers.flatMap((answer, index) =>
    (answer.data?.items ?? []).map((letter) => ({ letter, service: services[index] ?? "" })),
  );
  return (
    <>
      {failed && (
        <ErrorState
          error={failed.error}
          retry={() => void Promise.all(answers.map((answer) => answer.refetch()))}
        />
      )}
      {letters.length === 0 && !failed && <StatusMark tone="ok">None: every event was digested</StatusMark>}
      {letters.length > 0 && (
        <Table
          label="Dead letters"
          heads={["Event", "From", "Consumer", "Key", "Why", "Tries", "Parked", "Acts"]}
        >
          {letters.map(({ letter, service }) => (
            <Letter key={letter.id} letter={letter} service={service} />
          ))}
        </Table>
      )}
      {answers.some((answer) => answer.data?.next) && (
        <p className="dim">The first {SHOWN} of each service are shown.</p>
      )}
    </>
  );
}

function Letter({ letter, service }: { letter: DeadLetter; service: string }) {
  const [asking, setAsking] = useState(false);
  const replay = useAct("edge.replay", ["edge"]);
  async function again() {
    try {
      const { events } = await replay.mutateAsync({ service, consumer: letter.consumer, key: letter.key });
      toast(`${events === 1 ? "1 event" : `${events} events`} of ${letter.key} tried again`);
    } catch (error) {
      toast(asApiError(error).message, { tone: "bad" });
    }
  }
  return (
    <tr>
      <td className="mono">{letter.event_type}</td>
      <td>{letter.source}</td>
      <td>{letter.consumer}</td>
      <td className="mono">{letter.key}</td>
      <td className={classes.long}>{letter.error}</td>
      <td className="tabular">{letter.attempts}</td>
      <td>
        <Time at={letter.parked} />
      </td>
      <td>
        <RowMenu
          of={`${letter.event_type} of ${letter.key}`}
          acts={[
            { says: "Replay key, oldest first", run: () => void again() },
            { says: "Discard", run: () => setAsking(true), harm: true },
          ]}
        />
        {asking && <DiscardOne letter={letter} service={service} onClose={() => setAsking(false)} />}
      </td>
    </tr>
  );
}

function DiscardOne({
  letter,
  service,
  onClose,
}: {
  letter: DeadLetter;
  service: string;
  onClose: () => void;
}) {
  const discard = useAct("edge.discard", ["edge", "audit"]);
  return (
    <Confirm
      title={`Discard ${letter.event_type}?`}
      consequences={[
        `What it tells of ${letter.key} never reaches ${letter.consumer}. This cannot be undone.`,
        "Those of its key that wait behind it are tried at once, oldest first.",
        "The audit log keeps what was discarded, and by whom.",
      ]}
      act="Discard"
      onConfirm={async () => {
        const { events } = await discard.mutateAsync({ service, consumer: letter.consumer, id: letter.id });
        toast(events === 0 ? "1 event discarded" : `1 event discarded; ${events} behind it went through`);
      }}
      onClose={onClose}
    />
  );
}
