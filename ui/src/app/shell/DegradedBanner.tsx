/** Says which part of the platform cannot do its work now, so that a gap on a page has its reason. */
import { StatusMark } from "@/components/StatusMark";
import { useAnswer } from "../api/queries";
import classes from "./DegradedBanner.module.css";

export function DegradedBanner() {
  const { data } = useAnswer("edge.services", {}, { refetchInterval: 15_000 });
  const troubled = data?.services.filter((service) => service.state !== "ready") ?? [];
  if (troubled.length === 0) return null;
  const down = troubled.some((service) => service.state === "down");
  return (
    <div className={classes.banner} data-tone={down ? "bad" : "warn"} role="status">
      <StatusMark tone={down ? "bad" : "warn"}>
        {troubled.map(({ service, state, reason }) => (
          <span key={service}>
            <strong>{service}</strong> is {state}
            {reason && `: ${reason}`}.{" "}
          </span>
        ))}
        Other parts work as usual.
      </StatusMark>
    </div>
  );
}
