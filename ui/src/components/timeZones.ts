/** Zones by the names that people look for, where browsers still list them by older ones. */
const RENAMED = [
  "America/Argentina/Buenos_Aires",
  "America/Nuuk",
  "Asia/Ho_Chi_Minh",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Asia/Yangon",
  "Atlantic/Faroe",
  "Europe/Kyiv",
];

/** The zones that the browser knows, in their order, with UTC first and the current one never missing. */
export function timeZones(current: string): string[] {
  const known = [...new Set([current, ...RENAMED, ...Intl.supportedValuesOf("timeZone")])].sort();
  return ["UTC", ...known.filter((zone) => zone !== "UTC")];
}
