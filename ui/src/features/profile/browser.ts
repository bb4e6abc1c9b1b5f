/** A browser and system by the names people know them under; what is not recognised is called by its first word. */

const BROWSERS = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/^argosy/i, "Argosy command line"],
  [/^curl\//, "curl"],
] as const;
const SYSTEMS = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
] as const;

export function browserOf(agent: string): string {
  const name = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (!name) return agent.split("/", 1)[0] || "Unknown browser";
  return system ? `${name} on ${system}` : name;
}
