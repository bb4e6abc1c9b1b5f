/** The account as a whole: its name, and the time zone in which its schedules run. Admins change it, others read. */
import { Button, Skeleton, TextInput } from "@mantine/core";
import { useAct, useAnswer } from "@/app/api/queries";
import { useIsAdmin } from "@/app/api/session";
import { ErrorState } from "@/components/ErrorState";
import { Facts } from "@/components/Facts";
import { FormError } from "@/components/FormError";
import { LeaveGuard } from "@/components/LeaveGuard";
import { wallClock } from "@/components/moments";
import { Page } from "@/components/Page";
import { Time, useNow } from "@/components/Time";
import { TimeZoneSelect } from "@/components/TimeZoneSelect";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import type { Account } from "@/gen/api";
import classes from "./AccountSettings.module.css";

export function AccountSettings() {
  const admin = useIsAdmin();
  const account = useAnswer("identity.account", {});
  return (
    <Page
      title="Account settings"
      about="What holds for everybody in this account. How times are shown to you is in your profile."
      narrow
    >
      {account.error && <ErrorState error={account.error} retry={() => void account.refetch()} />}
      {account.isPending && <Skeleton height={240} />}
      {account.data && (
        <div className={classes.parts}>
          {admin && <Edit key={account.data.name + account.data.time_zone} account={account.data} />}
          <About account={account.data} whole={!admin} />
        </div>
      )}
    </Page>
  );
}

function Edit({ account }: { account: Account }) {
  const save = useAct("identity.change_account", ["identity", "cron", "audit"]);
  const form = useForm({ name: account.name, time_zone: account.time_zone }, async (values) => {
    await save.mutateAsync(values);
    toast("Account saved");
  });
  return (
    <form onSubmit={form.onSubmit} className={classes.form} noValidate>
      <TextInput label="Name" maxLength={120} autoComplete="off" {...form.text("name")} />
      <TimeZoneSelect description="For schedules that name none." {...form.field("time_zone")} />
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

function About({ account, whole }: { account: Account; whole: boolean }) {
  const now = useNow(10_000);
  return (
    <Facts
      facts={[
        ...(whole
          ? ([
              ["Name", account.name],
              ["Time zone", `${account.time_zone}, where it is ${wallClock(account.time_zone, now)}`],
            ] as const)
          : []),
        ["Users", account.users],
        ["Created", <Time key="created" at={account.created} exactly />],
        ["Id", <code key="id">{account.id}</code>],
      ]}
    />
  );
}
