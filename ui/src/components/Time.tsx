/** A moment: how long ago for the eye, the exact time in the reader's zone (and in UTC) for the pointer. */
import { createContext, use, useEffect, useState } from "react";
import { ago, exact } from "./moments";

export const TimeZone = createContext(Intl.DateTimeFormat().resolvedOptions().timeZone);

export function Time({
  at,
  exactly,
  never = "Never",
}: {
  at: string | null;
  exactly?: boolean;
  never?: string;
}) {
  const zone = use(TimeZone);
  const now = useNow(exactly ? 0 : 30_000);
  if (!at) return <span className="dim">{never}</span>;
  return (
    <time dateTime={at} title={`${exact(at, zone)}\n${exact(at, "UTC")}`} className="nowrap tabular">
      {exactly ? exact(at, zone, "short") : ago(at, now)}
    </time>
  );
}

/** The moment, renewed as often as one looks at it; 0: not again. */
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!every) return;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
