/** A new password for the old one. */
import { Button, PasswordInput } from "@mantine/core";
import { FormError } from "@/components/FormError";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import { choosePassword } from "../session/passwords";
import classes from "./Profile.module.css";

const EMPTY = { current: "", new: "", again: "" };

export function PasswordForm({ email }: { email: string }) {
  const form = useForm(EMPTY, async (choice) => {
    await choosePassword(choice);
    form.set(EMPTY);
    toast("Password changed; your other sessions have ended");
  });
  return (
    <form onSubmit={form.onSubmit} className={classes.form}>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput label="Current password" autoComplete="current-password" {...form.text("current")} />
      <PasswordInput
        label="New password"
        description="At least 10 characters."
        autoComplete="new-password"
        {...form.text("new")}
      />
      <PasswordInput label="New password again" autoComplete="new-password" {...form.text("again")} />
      {form.error && <FormError error={form.error} />}
      <div>
        <Button type="submit" variant="default" loading={form.submitting}>
          Change password
        </Button>
      </div>
    </form>
  );
}
