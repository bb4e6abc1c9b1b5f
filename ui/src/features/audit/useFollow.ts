/** Entries as they are sealed, over one event stream while `on`; the browser reconnects it by itself. */
import { useEffect, useState } from "react";
import type { AuditQuery, Entry } from "@/gen/api";
import { matches } from "./question";

const KEPT = 200;
export type StreamState = "off" | "connecting" | "live" | "lost";

export function useFollow(on: boolean, query: AuditQuery): { fresh: readonly Entry[]; state: StreamState } {
  const [fresh, setFresh] = useState<readonly Entry[]>([]);
  const [state, setState] = useState<StreamState>("off");
  const asked = JSON.stringify(query);
  useEffect(() => {
    if (!on) return;
    setState("connecting");
    const wanted = JSON.parse(asked) as AuditQuery;
    const stream = new EventSource("/api/audit/follow");
    stream.onopen = () => setState("live");
    stream.onerror = () => setState(stream.readyState === EventSource.CLOSED ? "lost" : "connecting");
    stream.onmessage = (message: MessageEvent<string>) => {
      const entry = JSON.parse(message.data) as Entry;
      if (!matches(entry, wanted)) return;
      setFresh((before) => [entry, ...before.filter((one) => one.id !== entry.id)].slice(0, KEPT));
    };
    return () => {
      stream.close();
      setFresh([]);
      setState("off");
    };
  }, [on, asked]);
  return { fresh, state };
}
