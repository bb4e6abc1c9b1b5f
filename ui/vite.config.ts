import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { gzip } from "./build/gzip-plugin.ts";
import { tokens } from "./build/tokens-plugin.ts";
import { mockServer } from "./dev/mock-server.ts";

const platform = process.env.ARGOSY_URL ?? "http://127.0.0.1:8080";
const mocked = process.env.ARGOSY_MOCK !== undefined;

export default defineConfig({
  plugins: [react(), tokens(), gzip(), ...(mocked ? [mockServer()] : [])],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  css: { modules: { localsConvention: "camelCaseOnly" } },
  server: {
    host: "127.0.0.1",
    proxy: mocked ? {} : { "/api": { target: platform, changeOrigin: true, headers: { origin: platform } } },
  },
  build: {
    outDir: fileURLToPath(new URL("../src/argosy/platform/gateway/ui", import.meta.url)),
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    environment: "happy-dom",
    setupFiles: ["src/test/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    css: false,
  },
});
