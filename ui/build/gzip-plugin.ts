/** Leaves a `.gz` beside each text file of the build, so that the gateway sends bytes and compresses nothing. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const TEXT = /\.(js|css|html|svg|json|webmanifest)$/;
const SMALLEST = 1024;

export function gzip(): Plugin {
  let folder = "";
  return {
    name: "argosy:gzip",
    apply: "build",
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir);
      if (config.build.outDir.startsWith("/")) folder = config.build.outDir;
    },
    closeBundle: () => compress(folder),
  };
}

function compress(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, entry);
    if (!TEXT.test(entry) || statSync(file).size < SMALLEST) continue;
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
  }
}
