/** The administrator who must stay, if there is only one who can sign in. Pure. */
import type { Administrator } from "@/gen/api";

export function lastOne(all: readonly Administrator[]): Administrator | undefined {
  const able = all.filter((one) => one.status !== "disabled");
  return able.length === 1 ? able[0] : undefined;
}
