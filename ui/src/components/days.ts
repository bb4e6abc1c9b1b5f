/** Days of the calendar as moments: when one begins depends on where. Pure. */

const clocks = new Map<string, Intl.DateTimeFormat>();

/** How far a zone's clocks are ahead of UTC at a moment, in milliseconds. */
function ahead(zone: string, at: number): number {
  const format =
    clocks.get(zone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  clocks.set(zone, format);
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** When a day ("2026-11-18"), or the one `later` days after it, begins in a zone; empty for what is no day. */
export function dayBegins(day: string, zone: string, later = 0): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(midnight)) return "";
  const wanted = midnight + later * 86_400_000;
  const first = wanted - ahead(zone, wanted);
  return new Date(wanted - ahead(zone, first)).toISOString();
}
