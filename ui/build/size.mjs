/** Fails when what the first page loads in JavaScript is more than 250 KB gzipped. Reads Vite's manifest. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 250_000;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(root, "../src/argosy/platform/gateway/ui");
const manifest = JSON.parse(readFileSync(join(built, ".vite/manifest.json"), "utf8"));
const gzipped = (file) => gzipSync(readFileSync(join(built, file)), { level: 9 }).length;

/** A chunk and everything that it imports at once. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const shell = closure(entry);
const pages = Object.keys(manifest).filter((key) => manifest[key].isDynamicEntry);
const total = (keys) => [...keys].reduce((sum, key) => sum + gzipped(manifest[key].file), 0);
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;

console.log(`shell: ${kilobytes(total(shell))} gzipped`);

// A deep link loads a list and the panel beside it: at most all pages of one feature.
const features = new Map();
for (const page of pages) {
  const feature = dirname(page).replace("src/", "");
  features.set(feature, [...(features.get(feature) ?? []), page]);
}
let largest = 0;
for (const [feature, own] of features) {
  const size = total(new Set([...shell, ...own.flatMap((page) => [...closure(page)])]));
  largest = Math.max(largest, size);
  console.log(`  ${feature}: at most ${kilobytes(size)} with the shell`);
}
const css = new Set([...shell].flatMap((key) => manifest[key].css ?? []));
console.log(`first CSS: ${kilobytes([...css].reduce((sum, file) => sum + gzipped(file), 0))}`);
if (largest > LIMIT) {
  console.error(`size: a first load takes ${kilobytes(largest)}, more than ${kilobytes(LIMIT)}`);
  process.exit(1);
}
