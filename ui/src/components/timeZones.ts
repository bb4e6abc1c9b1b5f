/** The zones that the browser knows, with UTC first and the current one never missing. */
export function timeZones(current: string): string[] {
  return [...new Set(["UTC", current, ...Intl.supportedValuesOf("timeZone")])];
}
