/** Times and sizes in words; pure, so that tests can name the hour. */

const STEPS: readonly [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [30 * 86_400, 86_400, "day"],
  [365 * 86_400, 30 * 86_400, "month"],
  [Number.POSITIVE_INFINITY, 365 * 86_400, "year"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "long" });

export function ago(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const size = Math.abs(seconds);
  if (size < 45) return seconds > 15 ? "in a moment" : "just now";
  const [, unit, name] = STEPS.find(([limit]) => size < limit) ?? [0, 60, "minute" as const];
  return relative.format(Math.sign(seconds) * Math.max(1, Math.round(size / unit)), name);
}

export function exact(at: string, zone: string, form: "long" | "short" = "long"): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    year: "numeric",
    month: "short",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...(form === "long" ? { timeZoneName: "short" } : {}),
  }).format(new Date(at));
}

/** What a clock on the wall shows there: "Wed 18 Nov, 14:03". Empty for a zone this browser does not know. */
export function wallClock(zone: string, now: number): string {
  try {
    const parts = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "short",
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
    }).formatToParts(now);
    const { weekday, day, month, hour, minute } = Object.fromEntries(
      parts.map(({ type, value }) => [type, value]),
    );
    return `${weekday} ${day} ${month}, ${hour}:${minute}`;
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}

export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let size = count;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size.toFixed(size < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}
