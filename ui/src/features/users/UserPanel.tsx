/** One user: what they are in this account; admins change it here. */

import { Button, Skeleton, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAct, useAnswer } from "@/app/api/queries";
import { useIsAdmin, useMe } from "@/app/api/session";
import { Chips } from "@/components/Chip";
import { ErrorState } from "@/components/ErrorState";
import { Facts } from "@/components/Facts";
import { FormBody } from "@/components/FormBody";
import { LinkButton } from "@/components/LinkButton";
import { SidePanel } from "@/components/SidePanel";
import { Time } from "@/components/Time";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import type { User } from "@/gen/api";
import { TeamPicker } from "../teams/TeamPicker";
import { DisableUser, useEnableUser } from "./DisableUser";
import { RemoveUser } from "./RemoveUser";
import { ResetPassword } from "./ResetPassword";
import { RolePicker, roleName } from "./RolePicker";
import classes from "./UserPanel.module.css";
import { UserStatus } from "./Users";

export function UserPanel() {
  const { id } = useParams({ from: "/in/shell/settings/users/$id" });
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/users", search: true });
  const user = useAnswer("identity.user", { id });
  return (
    <SidePanel reading title={user.data ? user.data.name || user.data.email : "User"} onClose={close}>
      {user.error && <ErrorState error={user.error} retry={() => void user.refetch()} />}
      {user.isPending && <Skeleton height={160} />}
      {user.data && <Details user={user.data} onClose={close} />}
    </SidePanel>
  );
}

function Details({ user, onClose }: { user: User; onClose: () => void }) {
  const admin = useIsAdmin();
  return (
    <>
      <Facts
        facts={[
          ["E-mail", user.email],
          ["Status", <UserStatus key="status" status={user.status} />],
          ["Last seen", <Time key="seen" at={user.last_seen} />],
          ["Here since", <Time key="since" at={user.created} exactly />],
          ...(admin
            ? []
            : ([
                ["Role", roleName(user.role)],
                ["Teams", <Chips key="teams" words={user.teams.map((team) => team.name)} most={20} />],
              ] as const)),
        ]}
      />
      {admin && <Edit key={editedOf(user)} user={user} />}
      {admin && <Acts user={user} onRemoved={onClose} />}
    </>
  );
}

/** Only another value starts the form anew; an answer that says the same keeps what is being typed. */
function editedOf({ id, name, role, teams }: User): string {
  return JSON.stringify([id, name, role, teams.map((team) => team.id)]);
}

function Edit({ user }: { user: User }) {
  const save = useAct("identity.change_user", ["identity", "audit"]);
  const initial = { name: user.name, role: user.role, teams: user.teams.map((team) => team.id) };
  const form = useForm(initial, async ({ name, role, teams }) => {
    await save.mutateAsync({ id: user.id, name: name || null, role, teams });
    toast("User saved");
  });
  return (
    <FormBody form={form} act="Save">
      <TextInput label="Name" maxLength={120} autoComplete="off" {...form.text("name")} />
      <RolePicker {...form.field("role")} />
      <TeamPicker label="Teams" known={user.teams} {...form.field("teams")} />
    </FormBody>
  );
}

function Acts({ user, onRemoved }: { user: User; onRemoved: () => void }) {
  const me = useMe();
  const enable = useEnableUser();
  const [asked, setAsked] = useState<"remove" | "reset" | "disable">();
  return (
    <div className={classes.acts}>
      <div>
        <LinkButton variant="default" to="/settings/audit" search={{ actor: user.id }}>
          What they did
        </LinkButton>
        <LinkButton variant="default" to="/settings/access-rules/why" search={{ user: user.email }}>
          What they may do
        </LinkButton>
      </div>
      {user.id !== me.id && (
        <div>
          <Button variant="default" onClick={() => setAsked("reset")}>
            Reset password
          </Button>
          <Button
            variant="default"
            onClick={() => (user.status === "disabled" ? void enable(user) : setAsked("disable"))}
          >
            {user.status === "disabled" ? "Enable" : "Disable"}
          </Button>
          <Button variant="outline" color="red" onClick={() => setAsked("remove")}>
            Remove from account
          </Button>
        </div>
      )}
      {asked === "remove" && (
        <RemoveUser user={user} onClose={() => setAsked(undefined)} onRemoved={onRemoved} />
      )}
      {asked === "disable" && <DisableUser user={user} onClose={() => setAsked(undefined)} />}
      {asked === "reset" && <ResetPassword user={user} onClose={() => setAsked(undefined)} />}
    </div>
  );
}
