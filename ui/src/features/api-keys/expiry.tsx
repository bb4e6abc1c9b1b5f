/** When a key ends, told by shape and word before it happens. */
import { StatusMark } from "@/components/StatusMark";
import { Time } from "@/components/Time";

const SOON = 14 * 86_400_000;

export type ExpiryState = "never" | "later" | "soon" | "over";

export function expiryState(expires: string | null, now: number): ExpiryState {
  if (!expires) return "never";
  const left = Date.parse(expires) - now;
  if (left <= 0) return "over";
  return left < SOON ? "soon" : "later";
}

export function Expiry({ expires }: { expires: string | null }) {
  const state = expiryState(expires, Date.now());
  if (state === "soon") {
    return (
      <StatusMark tone="warn">
        <Time at={expires} />
      </StatusMark>
    );
  }
  if (state === "over") return <StatusMark tone="idle">Expired</StatusMark>;
  return <Time at={expires} />;
}
