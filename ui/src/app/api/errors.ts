/** What went wrong, in the words of the server: `client.ts` throws it, forms and error states show it. */
import type { ErrorBody } from "@/gen/api";

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly cure: string;
  /** The field of the request that is not acceptable, when there is one. */
  readonly field: string;
  readonly requestId: string;
  readonly retryAfter: number;

  constructor(body: ErrorBody) {
    super(sentence(body.detail ? `${body.message}: ${body.detail}` : body.message));
    this.name = "ApiError";
    this.status = body.status;
    this.code = body.code;
    this.cure = sentence(body.cure ?? "");
    this.field = String(body.context?.field ?? "");
    this.requestId = body.request_id ?? "";
    this.retryAfter = Number(body.context?.retry_after ?? 0);
  }

  /** The same, at the field that a page calls otherwise. */
  at(field: string): ApiError {
    const { status, code, name, message, cure, requestId } = this;
    return new ApiError({ status, code, name, message, cure, context: { field }, request_id: requestId });
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const requestId = response.headers.get("x-request-id") ?? "";
  const body: unknown = await response.json().catch(() => undefined);
  if (isErrorBody(body)) return new ApiError({ ...body, request_id: body.request_id || requestId });
  return new ApiError({
    status: response.status,
    code: "unreadable",
    name: "Unreadable",
    message: `The server answered ${response.status} without saying why.`,
    cure: "Try again; if it stays, give the request id to whoever runs this installation.",
    request_id: requestId,
  });
}

export function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    code: "unreachable",
    name: "Unreachable",
    message: "The server cannot be reached.",
    cure: "Check that Argosy runs and that this machine is on its network.",
  });
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError({ status: 0, code: "page", name: "Page", message, cure: "Reload the page." });
}

/** A person can do something about these; asking the server again does not help. */
export function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

/** The reader has waited long enough already; whether to wait again is theirs to say. */
export function wasSlow(error: unknown): boolean {
  return error instanceof ApiError && error.status === 504;
}

function isErrorBody(value: unknown): value is ErrorBody {
  if (typeof value !== "object" || value === null) return false;
  return "message" in value && typeof value.message === "string" && "status" in value && "code" in value;
}

/** The server writes for logs and terminals too, without a capital and a full stop; a page reads better with them. */
function sentence(words: string): string {
  if (words === "") return "";
  const ended = /[.!?…]$/.test(words) ? words : `${words}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
