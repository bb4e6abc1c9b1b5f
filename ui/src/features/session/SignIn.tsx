/** E-mail and password. A page opened with `#link=…` (what `argosy up` prints) redeems that link instead. */
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { ask } from "@/app/api/client";
import { asApiError } from "@/app/api/errors";
import { FormError } from "@/components/FormError";
import { useForm } from "@/components/useForm";
import { enter } from "./enter";
import { Gate } from "./Gate";
import classes from "./Gate.module.css";
import { SignInLink } from "./SignInLink";

export function SignIn() {
  return window.location.hash.startsWith("#link=") ? <SignInLink /> : <Password />;
}

function Password() {
  const { next } = useSearch({ from: "/sign-in" });
  const form = useForm({ email: "", password: "" }, async (values) => {
    try {
      enter(await ask("edge.login", values), next);
    } catch (problem) {
      // An admin's one-time password for somebody who has a login here already: it opens like an invitation.
      if (asApiError(problem).code !== "auth.joining") throw problem;
      window.location.replace(`/invitation#token=${encodeURIComponent(values.password)}`);
    }
  });
  const complete = form.values.email !== "" && form.values.password !== "";
  return (
    <Gate title="Sign in">
      <form onSubmit={form.onSubmit} className={classes.form}>
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          {...form.text("email")}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
          {...form.text("password")}
        />
        {form.error && <FormError error={form.error} />}
        <Button type="submit" size="sm" loading={form.submitting} data-complete={complete}>
          Sign in
        </Button>
      </form>
      <p className={classes.foot}>
        No password? An admin of your account can reset it; who runs this installation can use{" "}
        <code>argosy admin reset-password</code>.
      </p>
    </Gate>
  );
}
