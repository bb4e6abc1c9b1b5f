/** An error that belongs to no single field: what, and the cure. */
import type { ApiError } from "@/app/api/errors";
import classes from "./FormError.module.css";
import { Words } from "./Words";

export function FormError({ error }: { error: ApiError }) {
  return (
    <div className={classes.error} role="alert">
      <strong>{error.message}</strong>
      {error.cure && (
        <span>
          <Words>{error.cure}</Words>
        </span>
      )}
      {error.status >= 500 && error.requestId && (
        <span>
          Request <code>{error.requestId}</code>
        </span>
      )}
    </div>
  );
}
