/** One's own name, time zone, look, password and sessions. */
import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { ask } from "@/app/api/client";
import { meAnswer, useMe } from "@/app/api/session";
import { schemes, useScheme } from "@/app/theme/scheme";
import { FormError } from "@/components/FormError";
import { LeaveGuard } from "@/components/LeaveGuard";
import { Page, Section } from "@/components/Page";
import { TimeZoneSelect } from "@/components/TimeZoneSelect";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import { PasswordForm } from "./PasswordForm";
import classes from "./Profile.module.css";
import { Sessions } from "./Sessions";

export function Profile() {
  const me = useMe();
  return (
    <Page title="Profile" about={`${me.email}. What you set here is yours in every account.`} narrow>
      <Person />
      <Section title="Look">
        <Theme />
      </Section>
      {me.kind === "user" && (
        <Section title="Password" about="Changing it ends your other sessions.">
          <PasswordForm email={me.email} />
        </Section>
      )}
      <Sessions />
    </Page>
  );
}

function Person() {
  const me = useMe();
  const cache = useQueryClient();
  const form = useForm({ name: me.name, time_zone: me.time_zone || "UTC" }, async (values) => {
    cache.setQueryData(meAnswer.queryKey, await ask("identity.change_profile", values));
    toast("Profile saved");
  });
  return (
    <form onSubmit={form.onSubmit} className={classes.form}>
      <TextInput label="Name" autoComplete="name" maxLength={120} {...form.text("name")} />
      <TimeZoneSelect description="All times are shown in it." {...form.field("time_zone")} />
      {form.error && <FormError error={form.error} />}
      <div>
        <Button type="submit" loading={form.submitting}>
          Save
        </Button>
      </div>
      <LeaveGuard dirty={form.dirty} />
    </form>
  );
}

function Theme() {
  const { scheme, setScheme } = useScheme();
  return (
    <SegmentedControl
      size="sm"
      aria-label="Theme"
      data={schemes.map((one) => ({ ...one }))}
      value={scheme}
      onChange={(value) => setScheme(value as typeof scheme)}
    />
  );
}
