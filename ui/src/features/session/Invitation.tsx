/** An invitation: which account, for whom, and a password of one's own (or, for who is known here, theirs). */
import { Button, Loader, PasswordInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { ask } from "@/app/api/client";
import { asApiError } from "@/app/api/errors";
import { useAnswer } from "@/app/api/queries";
import { FormError } from "@/components/FormError";
import { useForm } from "@/components/useForm";
import type { InvitationPreview } from "@/gen/api";
import { enter, takeToken } from "./enter";
import { Gate } from "./Gate";
import classes from "./Gate.module.css";

let token: string | undefined;

export function Invitation() {
  const [held] = useState(() => {
    token ||= takeToken("token");
    return token;
  });
  const preview = useAnswer("edge.invitation", { token: held });
  if (preview.error) {
    return (
      <Gate title="This invitation does not work">
        <div className={classes.form}>
          <FormError error={asApiError(preview.error)} />
          <Button component="a" href="/sign-in" size="sm">
            Sign in with a password
          </Button>
        </div>
      </Gate>
    );
  }
  if (!preview.data) {
    return (
      <Gate title="Invitation">
        <Loader size="sm" aria-label="Loading the invitation" />
      </Gate>
    );
  }
  return <Accept token={held} preview={preview.data} />;
}

function Accept({ token: held, preview }: { token: string; preview: InvitationPreview }) {
  const known = preview.existing_user;
  const form = useForm({ name: "", password: "" }, async (values) =>
    enter(await ask("edge.accept_invitation", { token: held, ...values }), undefined),
  );
  return (
    <Gate
      title={`Join ${preview.account}`}
      about={known ? `Sign in as ${preview.email} to accept.` : `You were invited as ${preview.email}.`}
    >
      <form onSubmit={form.onSubmit} className={classes.form}>
        <input type="email" autoComplete="username" value={preview.email} readOnly hidden />
        {!known && <TextInput label="Your name" autoComplete="name" autoFocus {...form.text("name")} />}
        <PasswordInput
          label={known ? "Your password" : "Choose a password"}
          description={known ? undefined : "At least 10 characters. A few unrelated words do well."}
          autoComplete={known ? "current-password" : "new-password"}
          autoFocus={known}
          {...form.text("password")}
        />
        {form.error && <FormError error={form.error} />}
        <Button type="submit" size="sm" loading={form.submitting}>
          {known ? "Accept" : "Create my login and join"}
        </Button>
      </form>
    </Gate>
  );
}
