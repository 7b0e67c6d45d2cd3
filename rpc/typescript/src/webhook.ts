import { createHmac, timingSafeEqual } from "node:crypto";
import type {
  Currency,
  PayinMethod,
  PayinStatus,
  PaymentMethod,
  PaymentStatus,
  Phase,
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

export interface PaymentData {
  uuid: string;
  orderId: string;
  status: Uppercase<PaymentStatus>;
  amount: string;
  currency: Currency;
  /** Absent until a card was entered. */
  payerRequisites?: { cardLast4: string; cardHolder?: string };
}

export interface PayinData {
  /** The payout's uuid. */
  id: string;
  orderId: string;
  status: Uppercase<PayinStatus>;
  amount: string;
  currency: "RUB";
  method: PayinMethod;
  /** USDT, eight decimals. */
  frozenUsdt: string;
}

export interface CodeResendData {
  /** The payment's uuid. */
  id: string;
  orderId: string;
  status: Uppercase<PaymentStatus>;
  amount: string;
  currency: Currency;
  requestedBy: "trader";
  quasiEcom: {
    phase: Phase;
    codeResendCount: number;
    codeResendMax: number;
    attemptsLeft: number;
    codeResendLastBy: "trader";
    codeResendLastAt: string;
  };
}

type PaymentMeta = Meta<PaymentStatus> & { id: number; method: PaymentMethod };

export type PaymentStatusUpdated = Envelope<"payment.status.updated", PaymentData, PaymentMeta>;
export type PayerClaimed = Envelope<"payment.payer.claimed", PaymentData, PaymentMeta>;
export type CodeResent = Envelope<"payment.quasi_ecom.code_resend", CodeResendData, PaymentMeta>;
export type PayinStatusUpdated = Envelope<"payin.status.updated", PayinData, Meta<PayinStatus>>;

/** A webhook, told apart by type. Answer types you do not know with 200: later versions may send more. */
export type WebhookEvent = PaymentStatusUpdated | PayerClaimed | CodeResent | PayinStatusUpdated;

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
  const value = typeof headers.get === "function" ? headers.get(name) : (headers as Record<string, unknown>)[name];
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
