/** A one-time password for somebody who lost theirs: asked, made, shown once. */
import { useState } from "react";
import { useAct } from "@/app/api/queries";
import { Confirm } from "@/components/Confirm";
import { SecretOnce } from "@/components/SecretOnce";
import { Dialog } from "@/components/SidePanel";
import type { User } from "@/gen/api";

export function ResetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const [password, setPassword] = useState("");
  const reset = useAct("identity.reset_password", ["audit", "identity.user"]);
  const name = user.name || user.email;
  if (password) {
    return (
      <Dialog title={`Password of ${name}`} onClose={onClose}>
        <SecretOnce
          title="One-time password"
          secret={password}
          label="One-time password"
          warning="Shown this once. Hand it over by a way you trust."
          onDone={onClose}
        >
          <p className="dim">{name} must choose a new password at the next sign-in.</p>
        </SecretOnce>
      </Dialog>
    );
  }
  return (
    <Confirm
      title={`Reset the password of ${name}?`}
      consequences={[
        "All their sessions end now, in every account.",
        "The present password stops working; you get a one-time password to hand over.",
        "Their API keys keep working.",
      ]}
      act="Reset password"
      onConfirm={async () => setPassword((await reset.mutateAsync({ id: user.id })).one_time_password)}
      onClose={() => {
        if (!reset.isSuccess) onClose();
      }}
    />
  );
}
