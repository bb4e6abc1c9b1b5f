/** What the banner says of services that cannot do their work: those with the same trouble in one sentence. Pure. */
import { groupedBy } from "@/components/groupedBy";
import type { Health } from "@/gen/api";

export interface Trouble {
  services: string[];
  says: string;
}

export function troublesOf(services: readonly Health[]): Trouble[] {
  const troubled = services.filter(({ state }) => state !== "ready");
  const alike = groupedBy(troubled, (one) => `${one.state}: ${reasonOf(one)}`);
  return [...alike.values()].map((ones) => ({
    services: ones.map(({ service }) => service),
    says: saying(ones),
  }));
}

function saying(ones: readonly Health[]): string {
  const [first] = ones;
  if (!first) return "";
  const reason = reasonOf(first);
  return `${ones.length > 1 ? "are" : "is"} ${first.state}${reason && `: ${reason}`}.`;
}

/** The reason without the name that already stands before it. */
function reasonOf({ service, reason }: Health): string {
  return reason.startsWith(`${service} `) ? reason.slice(service.length + 1) : reason;
}
