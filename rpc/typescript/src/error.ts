import { ConnectError } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ErrorCode } from "./types.js";
import { ErrorDetailSchema } from "./gen/gateway/v1/error_pb.js";

/** Codes of errors after which the same call can be repeated as it was. */
const repeatable: ReadonlySet<string> = new Set<ErrorCode | "unreachable">([
  "unreachable",
  "busy",
  "unavailable",
  "outcome_unknown",
  "rate_limited",
  "internal_error",
]);

/** GatewayError is what every call of the clients throws when it fails, once its values are of the right types. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";

  private constructor(
    message: string,
    /** The gateway's stable code, such as validation_failed; unreachable when no answer of the gateway came. */
    readonly code: ErrorCode | "unreachable",
    /** Wrong fields and what is wrong with each; empty unless the code is validation_failed. */
    readonly fields: Readonly<Record<string, readonly string[]>>,
    /** Name it when you ask the operator about the call. Undefined when no answer came. */
    readonly requestId: string | undefined,
    /** Seconds to wait before the call is repeated, where the gateway says so. */
    readonly retryAfter: number | undefined,
    /** When a code may be resent, for code_resend_too_early: an ISO 8601 time. */
    readonly nextAllowedAt: string | undefined,
    /** What was signed wrongly, for invalid_signature where key and secret are right. */
    readonly hint: string | undefined,
    /** The proposal that another operator has to approve, for second_operator_required. */
    readonly proposalId: bigint | undefined,
    cause: unknown,
  ) {
    super(message, { cause });
  }

  /** Whether the same call may succeed later. Creations are idempotent, so that a repeat creates nothing twice. */
  get repeatable(): boolean {
    return repeatable.has(this.code);
  }

  /** from makes a GatewayError of whatever a call threw. */
  static from(thrown: unknown): GatewayError {
    if (thrown instanceof GatewayError) return thrown;
    const error = ConnectError.from(thrown);
    const detail = error.findDetails(ErrorDetailSchema)[0];
    const retryAfter = error.metadata.get("retry-after");
    return new GatewayError(
      error.rawMessage,
      (detail?.code || "unreachable") as ErrorCode,
      Object.fromEntries(Object.entries(detail?.errors ?? {}).map(([field, wrong]) => [field, wrong.messages])),
      detail?.requestId || undefined,
      // The gateway says seconds; a proxy may say a date, of which Number makes NaN, and that is no wait at all.
      /^\d{1,9}$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined,
      detail?.nextAllowedAt && timestampDate(detail.nextAllowedAt).toISOString(),
      detail?.details?.hint,
      detail?.proposalId,
      thrown,
    );
  }
}
