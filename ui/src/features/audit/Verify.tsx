/** Recomputes the chain on the server and says what it found. */
import { Button, Popover } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ask } from "@/app/api/client";
import { asApiError } from "@/app/api/errors";
import { FormError } from "@/components/FormError";
import { StatusMark } from "@/components/StatusMark";
import type { Verification } from "@/gen/api";
import classes from "./Audit.module.css";

export function Verify() {
  const verify = useMutation({ mutationFn: () => ask("audit.verify", {}) });
  return (
    <Popover
      width={340}
      position="bottom-end"
      opened={verify.isSuccess || verify.isError}
      onChange={(open) => !open && verify.reset()}
      trapFocus
    >
      <Popover.Target>
        <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          Verify
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {verify.error && <FormError error={asApiError(verify.error)} />}
        {verify.data && <Found verification={verify.data} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function Found({ verification }: { verification: Verification }) {
  const { whole, entries, anchored, head, problem, entry } = verification;
  return (
    <div className={classes.result}>
      <StatusMark tone={whole ? "ok" : "bad"}>
        <strong>{whole ? "The chain is whole" : `Entry ${entry} is the first fault`}</strong>
      </StatusMark>
      {whole ? (
        <p className="soft tabular">
          {entries} entries were recomputed. A signed head outside the database vouches for them up to number{" "}
          {anchored}.
        </p>
      ) : (
        <p className="soft">{problem}</p>
      )}
      <p className="dim">
        Head <code>{head.slice(0, 24)}…</code>
      </p>
      <p className="dim">
        The same from a terminal: <code>argosy audit verify</code>
      </p>
      {!whole && <Link to="/settings/audit">Show the log</Link>}
    </div>
  );
}
