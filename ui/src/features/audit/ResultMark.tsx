/** How it ended, by shape and word. */
import { StatusMark, type Tone } from "@/components/StatusMark";
import type { Entry } from "@/gen/api";

const RESULTS: Record<Entry["result"], [Tone, string]> = {
  ok: ["ok", "Done"],
  denied: ["warn", "Denied"],
  failed: ["bad", "Failed"],
};

export function ResultMark({ result }: { result: Entry["result"] }) {
  const [tone, word] = RESULTS[result];
  return <StatusMark tone={tone}>{word}</StatusMark>;
}
