/** It did not work: what, the cure, the request id to quote, and another try. */
import { Button } from "@mantine/core";
import { asApiError } from "@/app/api/errors";
import classes from "./States.module.css";
import { StatusMark } from "./StatusMark";

export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, cure, requestId } = asApiError(error);
  return (
    <div className={classes.state} role="alert">
      <StatusMark tone="bad">Not loaded</StatusMark>
      <h2>{message}</h2>
      {cure && <p className={classes.words}>{cure}</p>}
      {requestId && (
        <p className={classes.request}>
          Request <code>{requestId}</code>
        </p>
      )}
      {retry && (
        <div className={classes.action}>
          <Button variant="default" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}
