/** One team: its name, who is in it, and what it may do. */

import { Button, Skeleton, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAct, useAnswer } from "@/app/api/queries";
import { useIsAdmin } from "@/app/api/session";
import { ErrorState } from "@/components/ErrorState";
import { FormBody } from "@/components/FormBody";
import { LinkButton } from "@/components/LinkButton";
import { SidePanel } from "@/components/SidePanel";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import type { Team } from "@/gen/api";
import { Members } from "./Members";
import { RemoveTeam } from "./RemoveTeam";

export function TeamPanel() {
  const { id } = useParams({ from: "/in/shell/settings/teams/$id" });
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/teams", search: true });
  const team = useAnswer("identity.team", { id });
  return (
    <SidePanel reading title={team.data?.name ?? "Team"} onClose={close}>
      {team.error && <ErrorState error={team.error} retry={() => void team.refetch()} />}
      {team.isPending && <Skeleton height={160} />}
      {team.data && <Details team={team.data} onClose={close} />}
    </SidePanel>
  );
}

function Details({ team, onClose }: { team: Team; onClose: () => void }) {
  const admin = useIsAdmin();
  const [removing, setRemoving] = useState(false);
  return (
    <>
      {admin ? (
        <Edit key={team.name + team.description} team={team} />
      ) : (
        team.description && <p className="dim">{team.description}</p>
      )}
      {team.everyone ? (
        <p className="dim">Everybody in this account is in this team.</p>
      ) : (
        <Members team={team} />
      )}
      <div style={{ display: "flex", gap: 8 }}>
        <LinkButton variant="default" to="/settings/access-rules" search={{ team: team.id }}>
          Access rules of this team
        </LinkButton>
        {admin && !team.everyone && (
          <Button variant="outline" color="red" onClick={() => setRemoving(true)}>
            Remove team
          </Button>
        )}
      </div>
      {removing && <RemoveTeam team={team} onClose={() => setRemoving(false)} onRemoved={onClose} />}
    </>
  );
}

function Edit({ team }: { team: Team }) {
  const save = useAct("identity.change_team", ["identity", "audit"]);
  const form = useForm({ name: team.name, description: team.description }, async (values) => {
    await save.mutateAsync({ id: team.id, ...values });
    toast("Team saved");
  });
  return (
    <FormBody form={form} act="Save">
      <TextInput label="Name" maxLength={120} autoComplete="off" {...form.text("name")} />
      <TextInput label="Description" maxLength={200} autoComplete="off" {...form.text("description")} />
    </FormBody>
  );
}
