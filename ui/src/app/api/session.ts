/** Who is signed in. Pages inside the shell may rely on it; what they show to admins only, the server checks too. */
import { useSuspenseQuery } from "@tanstack/react-query";
import type { Me } from "@/gen/api";
import { answerTo } from "./queries";

export const meAnswer = answerTo("identity.me", {});

export function useMe(): Me {
  return useSuspenseQuery({ ...meAnswer, staleTime: 60_000 }).data;
}

export function useIsAdmin(): boolean {
  return useMe().account.role === "admin";
}
