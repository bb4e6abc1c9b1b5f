/** It did not work: what, the cure, the request id to quote, and another try. */
import { Button } from "@mantine/core";
import { asApiError } from "@/app/api/errors";
import classes from "./States.module.css";
import { StatusMark } from "./StatusMark";
import { Words } from "./Words";

export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, cure, requestId, status } = asApiError(error);
  if (status === 404 && retry) return <Gone />;
  const forbidden = status === 403;
  return (
    <div className={classes.state} role="alert">
      {forbidden ? (
        <StatusMark tone="idle">Not for you</StatusMark>
      ) : (
        <StatusMark tone="bad">Not loaded</StatusMark>
      )}
      <h2>{message}</h2>
      {cure && (
        <p className={classes.words}>
          <Words>{cure}</Words>
        </p>
      )}
      {requestId && !forbidden && (
        <p className={classes.request}>
          Request <code>{requestId}</code>
        </p>
      )}
      {retry && !forbidden && (
        <div className={classes.action}>
          <Button variant="default" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** Asking again would not help: it is not there, or not for this reader; the two look the same. */
function Gone() {
  return (
    <div className={classes.state} role="alert">
      <StatusMark tone="idle">Not here</StatusMark>
      <h2>There is nothing at this address</h2>
      <p className={classes.words}>
        It was removed, or it belongs to another account: switch at the top left if you have one.
      </p>
    </div>
  );
}
