/** Labels as people type them, `key=value`; what has no key is left out. */
export function labelsOf(lines: readonly string[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf("=");
    const key = (at < 0 ? line : line.slice(0, at)).trim();
    if (key) labels[key] = at < 0 ? "" : line.slice(at + 1).trim();
  }
  return labels;
}
