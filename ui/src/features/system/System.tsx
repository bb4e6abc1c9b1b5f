/** The installation: its services, storage, backups, events that could not be digested, and schedules. */
import { Skeleton } from "@mantine/core";
import { useAnswer } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { Facts } from "@/components/Facts";
import { Page, Section } from "@/components/Page";
import { Time } from "@/components/Time";
import type { Health } from "@/gen/api";
import { Backups } from "./Backups";
import { DeadLetters } from "./DeadLetters";
import { Schedules } from "./Schedules";
import { Services } from "./Services";
import { StorageBar } from "./StorageBar";

export function System() {
  const system = useAnswer("edge.system", {}, { refetchInterval: 10_000 });
  const data = system.data;
  return (
    <Page title="System" about="This installation and its parts. Only platform admins see it.">
      {system.error && !data && <ErrorState error={system.error} retry={() => void system.refetch()} />}
      {system.isPending && <Skeleton height={320} />}
      {data && (
        <>
          <Facts
            facts={[
              ["Version", `Argosy ${data.version} on Python ${data.python}`],
              ["Address", data.public_url],
              ["Running since", <Time key="started" at={data.started} />],
            ]}
          />
          <Section title="Services">
            <Services services={data.services} />
          </Section>
          {data.storage && (
            <Section title="Storage">
              <StorageBar storage={data.storage} />
            </Section>
          )}
          <Section
            title="Backups"
            about="A backup holds the platform’s data, the embedded clusters and the keys to all of it: store it like a secret."
          >
            <Backups backups={data.backups} />
          </Section>
          <Section
            title="Dead letters"
            about="Events that a service could not digest. Only events of the same key wait behind them."
          >
            <DeadLetters services={consumers(data.services)} />
          </Section>
          <Section title="Schedules" about="What runs by the clock. Each tick is fired exactly once.">
            <Schedules />
          </Section>
        </>
      )}
    </Page>
  );
}

/** The gateway has no data and consumes no events; every other service may have set some aside. */
function consumers(services: readonly Health[]): string[] {
  return services.map(({ service }) => service).filter((service) => service !== "gateway");
}
