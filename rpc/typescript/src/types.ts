import type { Plain } from "./plain.js";
import type * as checkout from "./gen/gateway/v1/checkout_pb.js";
import type * as deposit from "./gen/gateway/v1/deposit_pb.js";
import type * as event from "./gen/gateway/v1/event_pb.js";
import type * as payin from "./gen/gateway/v1/payin_pb.js";
import type * as payment from "./gen/gateway/v1/payment_pb.js";
import type * as withdrawal from "./gen/gateway/v1/withdrawal_pb.js";

import type { currencies, errorCodes, payinMethods, paymentMethods } from "./lists.js";

export { currencies, errorCodes, payinMethods, paymentMethods } from "./lists.js";

// The closed lists of the API. Messages carry them as text; the types below give each field its list.

/** A gateway that is newer than this package may have more codes: have a default. */
export type ErrorCode = (typeof errorCodes)[number];

export const paymentStatuses = ["pending", "completed", "failed", "cancelled", "appeal"] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export type PaymentMethod = (typeof paymentMethods)[number];

export type Currency = (typeof currencies)[number];

export const payinStatuses = ["waiting", "processing", "completed", "failed", "cancelled", "expired"] as const;
export type PayinStatus = (typeof payinStatuses)[number];

export type PayinMethod = (typeof payinMethods)[number];

export const depositStatuses = ["pending", "confirmed", "rejected"] as const;
export type DepositStatus = (typeof depositStatuses)[number];

export const withdrawalStatuses = [
  "requested",
  "approved",
  "handed_over",
  "completed",
  "rejected",
  "failed",
  "cancelled",
] as const;
export type WithdrawalStatus = (typeof withdrawalStatuses)[number];

export const networks = ["TRC20", "ERC20", "BEP20", "POLYGON", "ARBITRUM"] as const;
export type Network = (typeof networks)[number];

export const phases = [
  "awaiting_payer_details",
  "awaiting_trader_bank_sms",
  "awaiting_payer_otp",
  "awaiting_trader_confirm",
] as const;
export type Phase = (typeof phases)[number];

export const checkoutErrors = [
  "card_declined",
  "insufficient_funds",
  "card_expired",
  "limit_exceeded",
  "code_rejected",
  "acquirer_unavailable",
] as const;
export type CheckoutError = (typeof checkoutErrors)[number];

export type ResendBy = "merchant" | "trader";

/** With gives fields of a type narrower types. */
type With<T, Narrower> = Omit<T, keyof Narrower> & Narrower;

/** Pairs of your own that reads, lists and webhooks give back. */
export type Metadata = Record<string, string>;

type Resends = { codeResendLastBy?: ResendBy };

export type QuasiEcom = With<Plain<checkout.QuasiEcom>, Resends & { phase: Phase }>;

/** A payment as creations and reads answer with it. Its id is a decimal string; amounts are decimal strings. */
export type Payment = With<
  Plain<payment.Payment>,
  { status: PaymentStatus; method: PaymentMethod; currency: Currency; quasiEcom?: QuasiEcom }
>;

export type PaymentListItem = With<Plain<payment.PaymentListItem>, { status: PaymentStatus; currency: Currency }>;

/** What createPayment takes. The method of RUB payments is given as every other, by method. */
export type NewPayment = With<
  Omit<Plain<payment.CreatePaymentRequest>, "merchantName" | "rubCollect">,
  { method: PaymentMethod; currency: Currency; payer?: NewPayer; metadata?: Metadata }
>;

/** What the shop knows of the payer, as far as it knows it. */
export type NewPayer = With<
  Partial<Plain<payment.Payer>>,
  { payments?: { successful: number; expired: number } }
>;

export type Appeal = With<Plain<payment.Appeal>, { status: AppealStatus }>;
export type AppealStatus = "open";

export type CodeResend = With<Plain<checkout.CodeResend>, Resends & { phase: Phase }>;

export type Checkout = With<
  Plain<checkout.Checkout>,
  Resends & { phase: Phase; paymentStatus: PaymentStatus; currency: Currency; lastError?: CheckoutError }
>;

/** A payer's card. It goes from the payer's browser to the gateway and nowhere else. */
export type Card = Omit<Plain<checkout.SubmitPayerDetailsRequest>, "token">;

export type Payin = With<Plain<payin.Payin>, { status: PayinStatus; method: PayinMethod }>;

export type NewPayin = With<
  Plain<payin.CreatePayinRequest>,
  { method: PayinMethod; currency: "RUB"; metadata?: Metadata }
>;

export type Deposit = With<Plain<deposit.Deposit>, { status: DepositStatus; network: Network }>;

export type Withdrawal = With<Plain<withdrawal.Withdrawal>, { status: WithdrawalStatus; network: Network }>;

/** The address is one of your address book that has rested. */
export type NewWithdrawal = With<Plain<withdrawal.CreateWithdrawalRequest>, { network: Network }>;

/** A webhook event. Its payload is the body that is sent: JSON.parse gives what verifyWebhook does. */
export type Event = With<Plain<event.Event>, { status: EventStatus }>;
export type EventStatus = "pending" | "delivered" | "dead";

export type NewDeposit = With<
  Plain<deposit.CreateDepositRequest>,
  { network: Network; currency?: "USDT"; metadata?: Metadata }
>;
