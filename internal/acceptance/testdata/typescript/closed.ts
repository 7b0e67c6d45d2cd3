// What must not compile. A line below that compiles fails the type check, since its error is expected.
import { type GatewayError, MerchantClient, type NewPayment, type Payment } from "gateway-client/node";
import { CheckoutClient } from "gateway-client/browser";
import type { WebhookEvent } from "gateway-client/webhook";

const order = { orderId: "1", amount: "1500.00", callbackUri: "https://shop.example/hook" };

export const right: NewPayment = { ...order, currency: "RUB", method: "sbp" };
// @ts-expect-error: no such method
export const method: NewPayment = { ...order, currency: "RUB", method: "sbpp" };
// @ts-expect-error: no such currency
export const currency: NewPayment = { ...order, currency: "RUR", method: "sbp" };
// @ts-expect-error: money is no floating-point number
export const money: NewPayment = { ...order, amount: 1500.1, currency: "RUB", method: "sbp" };
// @ts-expect-error: the order's id is missing
export const missing: NewPayment = { amount: "1", callbackUri: order.callbackUri, currency: "RUB", method: "sbp" };
// @ts-expect-error: no such field
export const unknown: NewPayment = { ...order, currency: "RUB", method: "sbp", merchantName: "shop" };

export function look(
  payment: Payment,
  client: MerchantClient,
  checkout: CheckoutClient,
  event: WebhookEvent,
  error: GatewayError,
) {
  // @ts-expect-error: no such status
  payment.status === "pendign";
  // @ts-expect-error: no such code
  error.code === "validaton_failed";
  // @ts-expect-error: ids are text
  payment.id * 2;
  // @ts-expect-error: a requisite may be absent
  payment.requisite.value;
  // @ts-expect-error: no such network
  client.createDeposit({ amount: "1", network: "BTC", address: "a", idempotencyKey: "k" });
  // @ts-expect-error: no such status
  client.listPayins({ status: "pendign" });
  // @ts-expect-error: cvv is missing
  checkout.submitCard({ pan: "4242424242424242", expMonth: "12", expYear: "30" });
  // @ts-expect-error: webhooks write the status in upper case
  event.data.status === "completed";
  if (event.type === "payin.status.updated") return event.data.frozenUsdt;
  if (event.type === "deposit.status.updated") return event.data.idempotencyKey;
  if (event.type === "withdrawal.status.updated") return event.data.fee;
  if (event.type === "payment.status.updated") return event.meta.receivedAmount ?? event.data.amount;
  // @ts-expect-error: payments freeze nothing
  return event.data.frozenUsdt;
}
