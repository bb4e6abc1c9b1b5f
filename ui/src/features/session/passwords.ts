/** Choosing a password, for the page after the first sign-in and for the profile. */
import { ask } from "@/app/api/client";
import { ApiError } from "@/app/api/errors";

export interface Choice {
  /** Not asked of whoever has just come in with a one-time password or a link. */
  current?: string;
  new: string;
  again: string;
}

/** What the server finds wrong with the password stands at the field where it was chosen. */
export async function choosePassword({ current, new: chosen, again }: Choice): Promise<void> {
  if (chosen !== again) throw differs();
  try {
    await ask("identity.change_password", { current, new: chosen });
  } catch (error) {
    throw error instanceof ApiError && error.field === "password" ? error.at("new") : error;
  }
}

/** Both fields hold a new password, and they are not the same. */
function differs(): ApiError {
  return new ApiError({
    status: 422,
    code: "invalid",
    name: "Invalid",
    message: "The two are not the same.",
    context: { field: "again" },
  });
}
