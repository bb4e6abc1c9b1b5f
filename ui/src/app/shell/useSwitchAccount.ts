/** Another account: nothing that was loaded for the one before may stay on screen, so the page starts afresh. */

import { toast } from "@/components/toasts";
import { ask } from "../api/client";
import { asApiError } from "../api/errors";

export function useSwitchAccount() {
  return async (account: string) => {
    try {
      await ask("identity.switch_account", { account });
      window.location.assign("/");
    } catch (error) {
      toast(asApiError(error).message, { tone: "bad" });
    }
  };
}

export async function signOut() {
  try {
    await ask("edge.logout", {});
    window.location.assign("/sign-in");
  } catch (error) {
    toast(asApiError(error).message, { tone: "bad" });
  }
}
