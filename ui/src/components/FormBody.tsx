/** The body of a form: its fields, its error, its acts, and the guard against losing what was typed. The field that
 * the server refuses gets the focus. */
import { Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import classes from "./FormBody.module.css";
import { FormError } from "./FormError";
import { LeaveGuard } from "./LeaveGuard";
import type { Form } from "./useForm";

type FormBodyProps<V extends object> = {
  form: Form<V>;
  act: string;
  onCancel?: () => void;
  children: React.ReactNode;
};

export function FormBody<V extends object>({ form, act, onCancel, children }: FormBodyProps<V>) {
  const body = useRef<HTMLFormElement>(null);
  const wrong = form.wrong;
  useEffect(() => {
    if (wrong) body.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [wrong]);
  return (
    <form ref={body} onSubmit={form.onSubmit} className={classes.form} noValidate>
      {children}
      {form.error && <FormError error={form.error} />}
      <div className={classes.acts}>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" loading={form.submitting}>
          {act}
        </Button>
      </div>
      <LeaveGuard dirty={form.dirty} />
    </form>
  );
}
