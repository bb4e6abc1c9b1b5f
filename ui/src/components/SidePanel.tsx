/** A detail beside its list, with a URL of its own; closing leads back to the list as it was. */
import { Button, Drawer, Modal } from "@mantine/core";
import { FormError } from "./FormError";
import { LeaveGuard } from "./LeaveGuard";
import classes from "./SidePanel.module.css";
import type { Form } from "./useForm";

type Props = { title: React.ReactNode; onClose: () => void; wide?: boolean; children: React.ReactNode };

export function SidePanel({ title, onClose, wide, children }: Props) {
  return (
    <Drawer
      opened
      onClose={onClose}
      title={title}
      size={wide ? 720 : 520}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <div className={classes.body}>{children}</div>
    </Drawer>
  );
}

export function Dialog({ title, onClose, wide, children }: Props) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={wide ? 640 : 480}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {children}
    </Modal>
  );
}

type FormBodyProps<V extends object> = {
  form: Form<V>;
  act: string;
  onCancel?: () => void;
  children: React.ReactNode;
};

/** The body of a form: its fields, its error, its acts, and the guard against losing what was typed. */
export function FormBody<V extends object>({ form, act, onCancel, children }: FormBodyProps<V>) {
  return (
    <form onSubmit={form.onSubmit} className={classes.form} noValidate>
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
