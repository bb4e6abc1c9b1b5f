/** The backups there are, and the commands that make one, restore one, and rehearse an upgrade. */
import { Copy } from "@/components/Copy";
import { bytes } from "@/components/moments";
import { StatusMark } from "@/components/StatusMark";
import { Time } from "@/components/Time";
import type { BackupInfo } from "@/gen/api";
import classes from "./System.module.css";
import { Table } from "./Table";

const COMMANDS = [
  ["Make one", "argosy backup argosy.backup"],
  ["Restore one", "argosy restore argosy.backup"],
  ["Rehearse an upgrade on a copy", "argosy upgrade --rehearse"],
] as const;

export function Backups({ backups }: { backups: readonly BackupInfo[] }) {
  return (
    <>
      <div className={classes.commands}>
        {COMMANDS.map(([says, command]) => (
          <div key={command}>
            <p>{says}</p>
            <Copy text={command} label={says} />
          </div>
        ))}
      </div>
      {backups.length === 0 ? (
        <p className="dim">No backup has been made on this machine yet.</p>
      ) : (
        <Table label="Backups" heads={["File", "Taken", "Clusters", "Size"]}>
          {backups.map((backup) => (
            <tr key={backup.file}>
              <td className="mono">{backup.file}</td>
              <td>
                <Time at={backup.taken} exactly />
              </td>
              <td>
                {backup.clusters.join(", ") || "–"}
                {backup.left_out.length > 0 && (
                  <StatusMark tone="warn">Without {backup.left_out.join(", ")}: not readable</StatusMark>
                )}
              </td>
              <td className="tabular">{bytes(backup.bytes)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
