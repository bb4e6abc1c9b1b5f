/** Who is in a team. Removing somebody can be undone; nothing of theirs ends but what the team may do. */
import { Button, CloseButton, Skeleton } from "@mantine/core";
import { useState } from "react";
import { asApiError } from "@/app/api/errors";
import { useAct, usePages } from "@/app/api/queries";
import { useIsAdmin } from "@/app/api/session";
import { Named } from "@/components/Avatar";
import { ErrorState } from "@/components/ErrorState";
import { toast } from "@/components/toasts";
import type { Team, User } from "@/gen/api";
import { UserPicker } from "../users/UserPicker";
import classes from "./Members.module.css";

export function Members({ team }: { team: Team }) {
  const admin = useIsAdmin();
  const listing = usePages("identity.users", { team: team.id, limit: 100 });
  const change = useAct("identity.change_team", ["identity", "audit"]);
  async function remove(user: User) {
    try {
      await change.mutateAsync({ id: team.id, remove_members: [user.id] });
      toast(`${user.name || user.email} left ${team.name}`, {
        undo: () => void change.mutateAsync({ id: team.id, add_members: [user.id] }).catch(complain),
      });
    } catch (error) {
      complain(error);
    }
  }
  return (
    <section aria-label="Members">
      <h3 className={classes.heading}>
        Members <span className="dim tabular">{team.members}</span>
      </h3>
      {admin && <AddMembers team={team} />}
      {listing.error && <ErrorState error={listing.error} retry={listing.retry} />}
      {listing.loading && <Skeleton height={88} mt={8} />}
      {!listing.loading && listing.items.length === 0 && <p className="dim">Nobody is in this team yet.</p>}
      <ul className={classes.list}>
        {listing.items.map((user) => (
          <li key={user.id}>
            <Named name={user.name || user.email} below={user.email} />
            {admin && (
              <CloseButton
                size="sm"
                aria-label={`Take ${user.name || user.email} out of the team`}
                onClick={() => remove(user)}
              />
            )}
          </li>
        ))}
      </ul>
      {listing.more && (
        <Button variant="subtle" color="gray" onClick={listing.more} loading={listing.loadingMore}>
          Load more
        </Button>
      )}
    </section>
  );
}

function AddMembers({ team }: { team: Team }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const change = useAct("identity.change_team", ["identity", "audit"]);
  async function add() {
    try {
      await change.mutateAsync({ id: team.id, add_members: chosen });
      setChosen([]);
    } catch (error) {
      complain(error);
    }
  }
  return (
    <div className={classes.add}>
      <UserPicker label="Add members" value={chosen} onChange={setChosen} />
      <Button
        variant="default"
        size="sm"
        onClick={add}
        loading={change.isPending}
        disabled={chosen.length === 0}
      >
        Add
      </Button>
    </div>
  );
}

function complain(error: unknown) {
  toast(asApiError(error).message, { tone: "bad" });
}
