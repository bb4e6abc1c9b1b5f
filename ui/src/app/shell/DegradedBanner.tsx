/** Says which part of the platform cannot do its work now, so that a gap on a page has its reason. */
import { StatusMark } from "@/components/StatusMark";
import { useAnswer } from "../api/queries";
import classes from "./DegradedBanner.module.css";
import { troublesOf } from "./troubled";

export function DegradedBanner() {
  const { data } = useAnswer("edge.services", {}, { refetchInterval: 15_000 });
  const services = data?.services ?? [];
  const troubles = troublesOf(services);
  if (troubles.length === 0) return null;
  const down = services.some((service) => service.state === "down");
  return (
    <div className={classes.banner} data-tone={down ? "bad" : "warn"} role="status">
      <StatusMark tone={down ? "bad" : "warn"}>
        {troubles.map(({ services, says }) => (
          <span key={services.join()}>
            <strong>{services.join(", ")}</strong> {says}{" "}
          </span>
        ))}
        Other parts work as usual.
      </StatusMark>
    </div>
  );
}
