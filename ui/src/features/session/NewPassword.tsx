/** The first sign-in, with a one-time password or a link: nothing else opens until a password is chosen. */
import { Button, PasswordInput } from "@mantine/core";
import { useMe } from "@/app/api/session";
import { signOut } from "@/app/shell/useSwitchAccount";
import { FormError } from "@/components/FormError";
import { useForm } from "@/components/useForm";
import { Gate } from "./Gate";
import classes from "./Gate.module.css";
import { choosePassword } from "./passwords";

export function NewPassword() {
  const me = useMe();
  const form = useForm({ new: "", again: "" }, async (choice) => {
    await choosePassword(choice);
    window.location.replace("/");
  });
  return (
    <Gate title="Choose your password" about={`It replaces the one-time password of ${me.email}.`}>
      <form onSubmit={form.onSubmit} className={classes.form}>
        <input type="email" autoComplete="username" value={me.email} readOnly hidden />
        <PasswordInput
          label="New password"
          description="At least 10 characters. A few unrelated words do well."
          autoComplete="new-password"
          autoFocus
          {...form.text("new")}
        />
        <PasswordInput label="New password again" autoComplete="new-password" {...form.text("again")} />
        {form.error && <FormError error={form.error} />}
        <Button type="submit" size="sm" loading={form.submitting}>
          Set the password
        </Button>
        <Button variant="subtle" color="gray" size="sm" onClick={signOut}>
          Sign out
        </Button>
      </form>
    </Gate>
  );
}
