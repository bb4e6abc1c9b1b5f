/** Recomputes the chain on the server and says what it found. */
import { Button, Popover } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { ask } from "@/app/api/client";
import { asApiError } from "@/app/api/errors";
import { FormError } from "@/components/FormError";
import { StatusMark } from "@/components/StatusMark";
import type { Verification } from "@/gen/api";
import classes from "./Audit.module.css";

const CHAINS = { change: "Changes", read: "Reads" } as const;

export function Verify({ installation }: { installation: boolean }) {
  const verify = useMutation({ mutationFn: () => ask("audit.verify", { installation }) });
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
  const { whole, chain, problem, entry, chains, head } = verification;
  const which = chain && `${CHAINS[chain].toLowerCase()}, `;
  return (
    <div className={classes.result}>
      <StatusMark tone={whole ? "ok" : "bad"}>
        <strong>{whole ? "The log is whole" : `First fault: ${which}entry ${entry}`}</strong>
      </StatusMark>
      {!whole && <p className="soft">{problem}</p>}
      {chains.map((one) => (
        <p key={one.kind} className="soft tabular">
          {CHAINS[one.kind]}: {one.entries} entries recomputed; a signed head outside the database vouches up
          to number {one.anchored}.
        </p>
      ))}
      {head && (
        <p className="dim">
          Head <code>{head.slice(0, 24)}…</code>
        </p>
      )}
      <p className="dim">
        The same from a terminal: <code>argosy audit verify</code>
      </p>
    </div>
  );
}
