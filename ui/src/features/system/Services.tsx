/** Each service: its state by shape and word, what it waits for, its version and its data. */
import { bytes } from "@/components/moments";
import { StatusMark, type Tone } from "@/components/StatusMark";
import { Time } from "@/components/Time";
import type { Health } from "@/gen/api";
import classes from "./System.module.css";
import { Table } from "./Table";

const STATES: Record<Health["state"], [Tone, string]> = {
  ready: ["ok", "Ready"],
  degraded: ["warn", "Degraded"],
  down: ["bad", "Down"],
};

export function Services({ services }: { services: readonly Health[] }) {
  return (
    <Table label="Services" heads={["Service", "State", "Since", "Version", "Schema", "Data"]}>
      {services.map((health) => {
        const [tone, word] = STATES[health.state];
        return (
          <tr key={health.service}>
            <td>{health.service}</td>
            <td className={classes.long}>
              <StatusMark tone={tone}>{word}</StatusMark>
              {health.reason && (
                <div className="dim">{[health.reason, health.detail].filter(Boolean).join(": ")}</div>
              )}
            </td>
            <td>
              <Time at={health.since} never="–" />
            </td>
            <td className="mono">{health.version || "–"}</td>
            <td className="tabular">{health.schema_version ?? "–"}</td>
            <td className="tabular">{health.database_bytes === null ? "–" : bytes(health.database_bytes)}</td>
          </tr>
        );
      })}
    </Table>
  );
}
