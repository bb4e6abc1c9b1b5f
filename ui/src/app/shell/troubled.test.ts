import { expect, test } from "vitest";
import type { Health } from "@/gen/api";
import { troublesOf } from "./troubled";

const health = (service: string, state: Health["state"], reason = "") =>
  ({ service, state, reason }) as Health;

test("services with the same trouble share a sentence, and none repeats its name", () => {
  const said = troublesOf([
    health("gateway", "ready"),
    health("identity", "down", "identity did not answer in time"),
    health("audit", "down", "audit did not answer in time"),
    health("cron", "degraded", "its database is unreachable"),
  ]);
  expect(said).toEqual([
    { services: ["identity", "audit"], says: "are down: did not answer in time." },
    { services: ["cron"], says: "is degraded: its database is unreachable." },
  ]);
});
test("a service that gives no reason is named all the same", () => {
  expect(troublesOf([health("cron", "down")])).toEqual([{ services: ["cron"], says: "is down." }]);
});
