/** How full the disk of the data directory is, and how much of it is ours. */
import { bytes } from "@/components/moments";
import type { Storage } from "@/gen/api";
import classes from "./System.module.css";

export function StorageBar({ storage }: { storage: Storage }) {
  const { total_bytes: total, free_bytes: free, database_bytes: database } = storage;
  const other = Math.max(0, total - free - database);
  const share = (part: number) => `${Math.max(0.3, (100 * part) / total).toFixed(2)}%`;
  return (
    <div>
      <div
        className={classes.bar}
        data-full={free / total < 0.05 || undefined}
        role="img"
        aria-label={`${bytes(total - free)} of ${bytes(total)} used`}
      >
        <span style={{ width: share(database) }} />
        <span style={{ width: share(other) }} />
      </div>
      <p className={classes.key}>
        <span data-part="database">
          <i />
          Database {bytes(database)}
        </span>
        <span data-part="other">
          <i />
          Other {bytes(other)}
        </span>
        <span>
          <i />
          Free {bytes(free)} of {bytes(total)}
        </span>
        <code className="dim">{storage.data_dir}</code>
      </p>
    </div>
  );
}
