import { createHmac, timingSafeEqual } from "node:crypto";
import type {
  Currency,
  Metadata,
  Network,
  PayinMethod,
  PayinStatus,
  PaymentMethod,
  PaymentStatus,
  WithdrawalStatus,
} from "./types.js";

/** Five minutes: how far the time of a webhook may be from the receiver's clock. */
const toleranceSeconds = 300;

interface Envelope<Type extends string, Data, Meta> {
  type: Type;
  /** The event's id. The same event may come more than once: remember it. */
  eventId: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  data: Data;
  /** Not part of the stable contract: fields may change. */
  meta: Meta;
}

interface Meta<Status extends string> {
  previousStatus: Uppercase<Status>;
  reason: string | null;
  /** Counts the events of one payment or payout from 1 without gaps. */
  sequence: number;
}

interface Noted {
  /** What you noted; absent where you noted nothing. */
  metadata?: Metadata;
}

export interface PaymentData {
  uuid: string;
  orderId: string;
  status: Uppercase<PaymentStatus>;
  amount: string;
  currency: Currency;
  /** Absent until a card was entered. */
  payerRequisites?: { cardLast4: string; cardHolder?: string };
}

/** The payment of which its payer says that they have paid. */
export type PayerClaimData = Omit<PaymentData, "payerRequisites" | "status"> & { status: "PENDING" };

export interface PayinData {
  /** The payout's uuid. */
  id: string;
  orderId: string;
  status: Exclude<Uppercase<PayinStatus>, "WAITING" | "PROCESSING">;
  amount: string;
  currency: "RUB";
  method: PayinMethod;
  /** USDT, eight decimals. */
  frozenUsdt: string;
}

export interface DepositData {
  /** A number, as all ids of webhooks that are no uuids; meta.id is the same as a string, which getDeposit takes. */
  id: number;
  merchantCashboxId: number;
  status: "CONFIRMED" | "REJECTED";
  /** USDT, eight decimals. */
  amount: string;
  currency: "USDT";
  network: Network;
  address: string;
  externalReference: string | null;
  idempotencyKey: string;
  /** The transaction by which the USDT came; null where none was seen. */
  transactionHash: string | null;
}

export interface WithdrawalData {
  /** A number; meta.id is the same as a string, which getWithdrawal takes. */
  id: number;
  orderId: string;
  status: Exclude<Uppercase<WithdrawalStatus>, "REQUESTED">;
  /** What arrives: USDT, eight decimals. */
  amount: string;
  /** What it costs besides: USDT, eight decimals. */
  fee: string;
  currency: "USDT";
  network: Network;
  address: string;
  /** The transaction that pays it; null until it is known. */
  transactionHash: string | null;
}

export interface CodeResendData {
  /** The payment's uuid. */
  id: string;
  orderId: string;
  status: "PENDING";
  amount: string;
  currency: Currency;
  requestedBy: "trader";
  quasiEcom: {
    phase: "awaiting_payer_otp";
    codeResendCount: number;
    codeResendMax: number;
    attemptsLeft: number;
    codeResendLastBy: "trader";
    codeResendLastAt: string;
  };
}

type PaymentMeta = Meta<PaymentStatus> & Noted & {
  id: number;
  method: PaymentMethod;
  /** What came, where somebody said: it may be another amount than data.amount, which is what was asked for. */
  receivedAmount: string | null;
  /** Whether money came after the time had run out; absent otherwise. */
  late?: boolean;
  /** How it stands with another amount that came; absent where none did. */
  case?: "open" | "taken" | "waiting" | "returned" | "ended";
};

/** A payout's id is its uuid. returnOf is the payment whose money it returns, where it does. */
type PayinMeta = Meta<PayinStatus> & Noted & { id: string; method: PayinMethod; returnOf?: number };

export type PaymentStatusUpdated = Envelope<"payment.status.updated", PaymentData, PaymentMeta>;
export type PayerClaimed = Envelope<"payment.payer.claimed", PayerClaimData, PaymentMeta>;
/** Besides data, the webhook itself has the payment's uuid and your order id. */
export type CodeResent = Envelope<"payment.quasi_ecom.code_resend", CodeResendData, PaymentMeta> & {
  id: string;
  order_id: string;
};
export type PayinStatusUpdated = Envelope<"payin.status.updated", PayinData, PayinMeta>;
export type DepositStatusUpdated = Envelope<
  "deposit.status.updated",
  DepositData,
  Meta<"pending"> & Noted & { id: string }
>;
export type WithdrawalStatusUpdated = Envelope<
  "withdrawal.status.updated",
  WithdrawalData,
  Meta<"requested" | "approved" | "handed_over"> & { id: string }
>;

/** A webhook, told apart by type. Answer types you do not know with 200: later versions may send more. */
export type WebhookEvent =
  | PaymentStatusUpdated
  | PayerClaimed
  | CodeResent
  | PayinStatusUpdated
  | DepositStatusUpdated
  | WithdrawalStatusUpdated;

/** Headers of fetch, or of node:http. */
export type WebhookHeaders = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/** WebhookError says why a webhook must not be believed. Answer it with 400. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/**
 * verifyWebhook returns the event of a webhook that the gateway signed with one of the secrets within the last five
 * minutes, and throws a WebhookError otherwise. The body must be as it was received. Give both secrets while you
 * change from one to the other.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  ...secrets: [string, ...string[]]
): WebhookEvent {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature").split(" ").map((text) => Buffer.from(text));
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError("webhook-timestamp is not within five minutes of now");
  }
  const wanted = secrets.map((secret) => {
    const mac = createHmac("sha256", key(secret)).update(`${id}.${timestamp}.`).update(body);
    return Buffer.from("v1," + mac.digest("base64"));
  });
  const signed = wanted.some((want) =>
    signatures.some((got) => got.length === want.length && timingSafeEqual(got, want)),
  );
  if (!signed) throw new WebhookError("webhook-signature is by none of the secrets");
  return JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString()) as WebhookEvent;
}

function header(headers: WebhookHeaders, name: string): string {
  const plain = headers as Record<string, unknown>;
  // Some servers hand names over as they were sent, such as Webhook-Id.
  const sent = Object.keys(plain).find((key) => key.toLowerCase() === name) ?? name;
  const value = typeof headers.get === "function" ? headers.get(name) : plain[sent];
  if (typeof value !== "string" || value === "") throw new WebhookError(`the header ${name} is missing`);
  return value;
}

/** key is what a secret signs with. A wrong secret is the receiver's mistake and no WebhookError. */
function key(secret: string): Buffer {
  const encoded = secret.replace(/^whsec_/, "");
  const decoded = Buffer.from(encoded, "base64");
  if (decoded.length === 0 || decoded.toString("base64") !== encoded) {
    throw new TypeError("a webhook secret must be whsec_ and base64");
  }
  return decoded;
}
