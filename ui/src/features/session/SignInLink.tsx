/** Redeems a single-use link by a POST after the page has loaded: what only looks at a link (a scanner) uses up none. */
import { Button, Loader } from "@mantine/core";
import { useEffect, useState } from "react";
import { ask } from "@/app/api/client";
import { asApiError } from "@/app/api/errors";
import { FormError } from "@/components/FormError";
import { enter, takeToken } from "./enter";
import { Gate } from "./Gate";
import classes from "./Gate.module.css";

let redeemed: Promise<unknown> | undefined;

/** Once per page, though React may mount the page twice. */
function redeem(): Promise<unknown> {
  redeemed ??= (async () => enter(await ask("edge.link", { token: takeToken("link") }), undefined))();
  return redeemed;
}

export function SignInLink() {
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    redeem().catch(setError);
  }, []);
  return (
    <Gate title={error ? "This link does not work" : "Signing in"}>
      <div className={classes.form}>
        {error ? <FormError error={asApiError(error)} /> : <Loader size="sm" aria-label="Signing in" />}
        {error !== undefined && (
          <Button component="a" href="/sign-in" size="sm">
            Sign in with a password
          </Button>
        )}
      </div>
    </Gate>
  );
}
