/** How long entries are kept: changes for years, reads for days. */
import { Button, Skeleton, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAct, useAnswer } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { FormBody } from "@/components/FormBody";
import { Dialog } from "@/components/SidePanel";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import type { AuditSettings } from "@/gen/api";

export function Retention() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Retention
      </Button>
      {open && <Settings onClose={() => setOpen(false)} />}
    </>
  );
}

function Settings({ onClose }: { onClose: () => void }) {
  const settings = useAnswer("audit.settings", {});
  return (
    <Dialog title="How long entries are kept" onClose={onClose}>
      {settings.error && <ErrorState error={settings.error} retry={() => void settings.refetch()} />}
      {settings.isPending && <Skeleton height={160} />}
      {settings.data && <Fields settings={settings.data} onClose={onClose} />}
    </Dialog>
  );
}

function Fields({ settings, onClose }: { settings: AuditSettings; onClose: () => void }) {
  const save = useAct("audit.change_settings", ["audit"]);
  const initial = {
    changes_kept_days: String(settings.changes_kept_days ?? ""),
    reads_kept_days: String(settings.reads_kept_days ?? ""),
  };
  const form = useForm(initial, async (values) => {
    await save.mutateAsync({
      changes_kept_days: Number(values.changes_kept_days),
      reads_kept_days: Number(values.reads_kept_days),
    });
    toast("Retention saved");
    onClose();
  });
  return (
    <FormBody form={form} act="Save" onCancel={onClose}>
      <p className="dim">
        Older entries are removed for good. Lowering a number ends what is older at the next clean-up.
      </p>
      <TextInput
        label="Changes, in days"
        description="From 30 to 36,500."
        type="number"
        min={30}
        max={36500}
        data-autofocus
        {...form.text("changes_kept_days")}
      />
      <TextInput
        label="Reads, in days"
        description="From 1 to 3,650."
        type="number"
        min={1}
        max={3650}
        {...form.text("reads_kept_days")}
      />
    </FormBody>
  );
}
