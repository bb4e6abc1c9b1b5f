/** What runs by the clock, when it ran and when it will. */
import { Button, Skeleton } from "@mantine/core";
import { usePages } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { StatusMark } from "@/components/StatusMark";
import { Time } from "@/components/Time";
import { Table } from "./Table";

export function Schedules() {
  const listing = usePages("cron.schedules", { limit: 50 });
  if (listing.error && listing.items.length === 0)
    return <ErrorState error={listing.error} retry={listing.retry} />;
  if (listing.loading) return <Skeleton height={80} />;
  if (listing.items.length === 0) return <p className="dim">No service has put a schedule here.</p>;
  return (
    <>
      <Table
        label="Schedules"
        heads={["Name", "Service", "Expression", "Zone", "State", "Last fired", "Next"]}
      >
        {listing.items.map((schedule) => (
          <tr key={schedule.id}>
            <td>{schedule.name}</td>
            <td>{schedule.owner}</td>
            <td className="mono">{schedule.expression}</td>
            <td>{schedule.time_zone}</td>
            <td>
              <StatusMark tone={schedule.enabled ? "ok" : "idle"}>
                {schedule.enabled ? "On" : "Off"}
              </StatusMark>
            </td>
            <td>
              <Time at={schedule.last_fired} />
            </td>
            <td>
              <Time at={schedule.next_due} never="–" />
            </td>
          </tr>
        ))}
      </Table>
      {listing.more && (
        <Button variant="default" mt={8} onClick={listing.more} loading={listing.loadingMore}>
          Load more
        </Button>
      )}
    </>
  );
}
