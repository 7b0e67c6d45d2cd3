// Drives a running sandbox with the installed package: a payment, a payout, a card checkout and a sign-in.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { GatewayError, MerchantClient, sign, signAppeal } from "gateway-client/node";
import { CheckoutClient, PortalClient } from "gateway-client/browser";
import { TraderService } from "gateway-client/gen/portal/v1/trader_pb";
import { verifyWebhook, WebhookError, type WebhookEvent, type WebhookHeaders } from "gateway-client/webhook";

interface Box {
  merchantCashboxId: number;
  key_id: string;
  secret: string;
  webhook_secret: string;
}

interface Told {
  baseUrl: string;
  roubles: Box;
  cards: Box;
  payouts: Box;
  traders: { login: string; password: string }[];
  run: string;
}

const told = JSON.parse(process.env["DRIVE"] ?? "{}") as Told;
const { baseUrl } = told;

const merchant = (box: Box) => new MerchantClient({ baseUrl, keyId: box.key_id, secret: box.secret });

/** failure is the GatewayError of a call that must fail. */
async function failure(call: Promise<unknown>): Promise<GatewayError> {
  const thrown = await call.then(
    () => assert.fail("the call did not fail"),
    (error: unknown) => error,
  );
  assert(thrown instanceof GatewayError, inspect(thrown));
  return thrown;
}

// The shop's endpoint keeps events that it could verify, and the last delivery as it came.
const events: WebhookEvent[] = [];
let delivery: { body: Buffer; headers: WebhookHeaders } | undefined;
const shop = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  try {
    const fresh = "whsec_" + Buffer.from("the secret after the next change").toString("base64");
    events.push(verifyWebhook(body, request.headers, fresh, told.roubles.webhook_secret));
    delivery = { body, headers: request.headers };
    response.writeHead(200).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? 400 : 500).end();
  }
});
await once(shop.listen(0, "127.0.0.1"), "listening");
const callbackUri = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/hook`;

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 600; i++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return assert.fail(`${what} did not come`);
}

async function payment() {
  const client = merchant(told.roubles);
  assert(!inspect(client, { showHidden: true, depth: 9 }).includes(told.roubles.secret), "the client shows its secret");
  const order = {
    orderId: `${told.run}-payment`,
    amount: "1500.00",
    currency: "RUB",
    method: "sbp",
    callbackUri,
    description: "Чашки",
    ratePercent: "4.5",
    payer: { userId: "payer-1", payments: { successful: 2, expired: 0 } },
    metadata: { $region: "north" },
  } as const;
  const created = await client.createPayment(order);
  assert.equal(created.payment.status, "pending");
  assert.equal(created.payment.amount, "1500.00");
  assert.equal(created.payment.ledger?.amountUsdt, "15.51791025");
  assert.deepEqual(created.payment.metadata, { $region: "north" });
  assert.match(created.payment.id, /^\d+$/);
  assert.match(created.payment.expiresAt ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(typeof created.payment.requisite?.value, "string");
  assert.deepEqual([created.replayed, created.mismatched], [false, []]);
  assert.deepEqual(JSON.parse(JSON.stringify(created.payment)), created.payment);

  const repeated = await client.createPayment({ ...order, amount: "1600.00", callbackUri: callbackUri + "/2" });
  assert.deepEqual([repeated.replayed, repeated.mismatched.sort()], [true, ["amount", "callbackUri"]]);
  assert.equal(repeated.payment.uuid, created.payment.uuid);
  assert.equal(repeated.payment.amount, "1500.00");

  const wrong = await failure(client.createPayment({ ...order, orderId: "", amount: "0.5" }));
  assert.deepEqual([wrong.code, Object.keys(wrong.fields).sort()], ["validation_failed", ["amount", "orderId"]]);
  assert.match(wrong.requestId ?? "", /./);
  const stranger = new MerchantClient({ baseUrl, keyId: told.roubles.key_id, secret: "not the secret" });
  assert.equal((await failure(stranger.getPayment(created.payment.uuid))).code, "invalid_signature");
  const nowhere = new MerchantClient({ baseUrl: "http://127.0.0.1:1", keyId: "k", secret: "s" });
  const unreachable = await failure(nowhere.getPayment("1"));
  assert.deepEqual([unreachable.code, unreachable.repeatable], ["unreachable", true]);
  assert.throws(() => new MerchantClient({ baseUrl: "api.example.com", keyId: "k", secret: "s" }), /baseUrl/);
  const inTwoLines = { baseUrl, keyId: "k", secret: "a secret\nin two lines" };
  assert.throws(() => new MerchantClient(inTwoLines), (error: Error) => !error.message.includes("a secret"));
  await assert.rejects(client.getBalance("first"), /merchantCashboxId/);
  await mistakes(client, order);

  await confirm(created.payment.id);
  const told_ = await until("the webhook", () => events.find((event) => event.type === "payment.status.updated"));
  assert.equal(told_.data.status, "COMPLETED");
  assert.equal(told_.data.orderId, order.orderId);
  assert.equal((await client.getPayment(created.payment.id)).status, "completed");
  const ofOrder = { orderId: order.orderId, method: "sbp", status: "completed", from: "2026-01-01T00:00:00Z" } as const;
  const listed = await client.listPayments(ofOrder);
  assert.deepEqual(
    listed.items.map((item) => [item.uuid, item.status, item.orderId]),
    [[created.payment.uuid, "completed", order.orderId]],
  );
  assert.deepEqual((await client.listPayments({ ...ofOrder, to: ofOrder.from })).items, []);
  for (const from of ["yesterday", "2026-11-20", "2026-11-20T00:00:00"]) {
    await assert.rejects(client.listPayments({ from }), /from must be an ISO 8601 time/);
  }
  await readEvents(client, told_.eventId);
  const mistaken = new MerchantClient({ baseUrl, keyId: told.roubles.key_id, secret: told.roubles.secret, headers: { signature: "X-Other" } });
  assert.equal((await failure(mistaken.listPayins())).code, "signature_required");
  asReceived();
}

/** A program without types is told what it gave wrongly, and not that the gateway could not be reached. */
async function mistakes(client: MerchantClient, order: object) {
  const any = client as any;
  const file = { name: "a.pdf", content: "text" };
  for (const [call, want] of [
    [() => any.createPayment({ ...order, amount: 1500 }), /^amount must be a decimal string such as "12.50"$/],
    [() => any.createPayment({ ...order, ratePercent: 4.5 }), /^ratePercent must be a decimal string/],
    [() => any.createPayment({ ...order, metadata: { visit: 5 } }), /^metadata must be an object of strings$/],
    [() => any.createPayment({ ...order, payer: { userId: 7 } }), /^userId must be a string$/],
    [() => any.createPayment({ ...order, payer: { payments: { successful: 1.5, expired: 0 } } }), /^payer.payments.successful /],
    [() => any.createPayment({ ...order, description: { text: "cup" } }), /^description must be a string$/],
    [() => any.createPayin({ orderId: "1", amount: 10.5 }), /^amount must be a decimal string/],
    [() => any.createDeposit({ amount: 10n }), /^amount must be a decimal string/],
    [() => any.createAppeal("1", "reason", file), /^file must be a Uint8Array$/],
    [() => any.getPayment(1), /^paymentId must be a string$/],
    [() => any.listPayins({ limit: "5" }), /^limit must be a number$/],
    [() => any.listPayments({ from: new Date(0) }), /^from must be an ISO 8601 time with its zone, as a string, and is 1970/],
    [() => any.listEvents({ cursor: 5 }), /^cursor must be a string$/],
    [() => (new PortalClient({ baseUrl }) as any).login({ login: "a", password: 5 }), /^password must be a string$/],
  ] as [() => Promise<unknown>, RegExp][]) {
    await assert.rejects(call, (thrown: Error) => {
      assert(!(thrown instanceof GatewayError), inspect(thrown));
      assert.match(thrown.message, want);
      return true;
    });
  }
  const right = { baseUrl, keyId: "k", secret: "s" };
  for (const [wrong, want] of [
    [{ secret: undefined }, /secret must be/],
    [{ keyId: "" }, /keyId must be/],
    [{ secret: "секрет" }, /secret must be/],
    [{ headers: { keyId: "X Key" } }, /X Key/],
  ] as [object, RegExp][]) {
    assert.throws(() => new MerchantClient({ ...right, ...wrong }), want);
  }
}

/** readEvents reads events by their cursor until it finds the one that was sent. */
async function readEvents(client: MerchantClient, eventId: string) {
  let cursor: string | undefined;
  await until("the event in the list", async () => {
    const page = await client.listEvents(cursor === undefined ? { limit: 1 } : { limit: 1, cursor });
    cursor = page.nextCursor;
    const found = page.items.find((event) => event.id === eventId);
    if (found) assert.equal(JSON.parse(found.payload).eventId, eventId);
    return found;
  });
}

/** asReceived reads the delivery in each form in which a server may have it. */
function asReceived() {
  assert(delivery !== undefined);
  const { body, headers } = delivery;
  const secret = told.roubles.webhook_secret;
  assert.equal(verifyWebhook(body.toString(), new Headers(headers as Record<string, string>), secret).type, "payment.status.updated");
  const titled = ["Id", "Timestamp", "Signature"].map((name) => [
    `Webhook-${name}`,
    (headers as Record<string, string>)[`webhook-${name.toLowerCase()}`],
  ]);
  assert.equal(verifyWebhook(body, Object.fromEntries(titled), secret).type, "payment.status.updated");
  assert.throws(() => verifyWebhook(body, headers, "whsec_not base64"), TypeError);
}

interface Vectors {
  bodies: { name: string; secret: string; body: string; signature: string }[];
  appeals: { name: string; secret: string; reason: string; fileName: string; fileSize: number; signature: string }[];
  webhooks: {
    name: string;
    secrets: [string, ...string[]];
    id: string;
    timestamp: string;
    body: string;
    signature: string;
    now: number;
    valid: boolean;
  }[];
}

/** vectors holds the package to the vectors that all clients share. */
function vectors() {
  const shared = JSON.parse(readFileSync(process.env["VECTORS"] ?? "", "utf8")) as Vectors;
  for (const v of shared.bodies) assert.equal(sign(v.secret, v.body), v.signature, v.name);
  for (const v of shared.appeals) {
    assert.equal(signAppeal(v.secret, v.reason, v.fileName, v.fileSize), v.signature, v.name);
  }
  const clock = Date.now;
  for (const v of shared.webhooks) {
    const headers = { "webhook-id": v.id, "webhook-timestamp": v.timestamp, "webhook-signature": v.signature };
    Date.now = () => v.now * 1000;
    const verify = () => verifyWebhook(v.body, headers, ...v.secrets);
    if (v.valid) assert.doesNotThrow(verify, v.name);
    else assert.throws(verify, WebhookError, v.name);
  }
  Date.now = clock;
}

/** confirm says as the trader whose payment it is that the money has arrived: only that trader finds it. */
async function confirm(paymentId: string) {
  for (const { login, password } of told.traders) {
    const portal = new PortalClient({ baseUrl });
    assert.deepEqual(
      await portal.login({ login, password }).then(({ kind, state }) => [kind, state]),
      ["trader", "whole"],
    );
    const session = await portal.session();
    assert.deepEqual([session.login, session.kind], [login, "trader"]);
    const answer = await portal.service(TraderService).confirmReceived({ paymentId: BigInt(paymentId) }).catch(
      (thrown: unknown) => {
        assert(thrown instanceof GatewayError && thrown.code === "not_found", inspect(thrown));
        return undefined;
      },
    );
    const again = new PortalClient({ baseUrl, token: portal.token ?? "" });
    await portal.logout();
    assert.equal(portal.token, undefined);
    assert.equal((await failure(again.session())).code, "unauthenticated");
    if (answer !== undefined) return;
  }
  assert.fail("no trader has the payment");
}

async function signIn() {
  const first = told.traders[0];
  assert(first !== undefined);
  const wrong = await failure(new PortalClient({ baseUrl }).login({ login: first.login, password: "wrong password" }));
  assert.equal(wrong.code, "invalid_credentials");
}

async function checkout() {
  const client = merchant(told.cards);
  const order = { amount: "100", currency: "AZN", method: "quasi_ecom", callbackUri: "https://shop.example/hook" } as const;
  const { payment } = await client.createPayment({ ...order, orderId: `${told.run}-card` });
  assert.equal(payment.quasiEcom?.phase, "awaiting_payer_details");
  const page = new CheckoutClient({ baseUrl, checkoutUrl: payment.checkoutUrl ?? "" });
  assert.equal((await page.get()).isTerminal, false);
  const card = { pan: "4000 0025 0000 3155", expMonth: "12", expYear: "40", cvv: "123", cardHolder: "A PAYER" };
  assert.deepEqual(Object.keys((await failure(page.submitCard({ ...card, cvv: "12" }))).fields), ["cvv"]);
  await page.submitCard(card);
  await until("the question for a code", async () =>
    (await page.get()).phase === "awaiting_payer_otp" ? true : undefined,
  );
  const tooEarly = await failure(client.resendCode(payment.id).then(() => client.resendCode(payment.id)));
  assert.equal(tooEarly.code, "code_resend_too_early");
  assert((tooEarly.retryAfter ?? 0) > 0 && (tooEarly.nextAllowedAt ?? "") > new Date().toISOString(), inspect(tooEarly));
  const seen: string[] = [];
  const ended = page.wait({ intervalMs: 100, onChange: (now) => seen.push(now.paymentStatus) });
  await page.submitCode("123456");
  assert.equal((await ended).paymentStatus, "completed");
  assert.equal(seen.at(-1), "completed");
  assert.equal((await failure(page.cancel())).code, "checkout_closed");
  await assert.rejects(page.wait({ signal: AbortSignal.abort(new Error("gone")) }), /gone/);

  const cancelled = await client.createPayment({ ...order, orderId: `${told.run}-cancelled` });
  const left = new CheckoutClient({ baseUrl, checkoutUrl: cancelled.payment.checkoutUrl ?? "" });
  assert.equal((await left.cancel()).paymentStatus, "cancelled");
  assert.throws(() => new CheckoutClient({ baseUrl, checkoutUrl: "https://pay.example.com/" }), /checkoutUrl/);
}

/** A proxy may say by a date when to come back: the gateway is not asked at once again and again. */
async function busyProxy() {
  let asked = 0;
  const proxy = createServer((_, response) => {
    asked++;
    response.writeHead(503, { "Retry-After": "Fri, 31 Dec 2027 23:59:59 GMT" }).end("busy");
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const page = new CheckoutClient({ baseUrl: address, checkoutUrl: "https://pay.example.com/pay/token" });
  const error = await failure(page.get());
  assert.deepEqual([error.code, error.retryAfter], ["unreachable", undefined]);
  const gone = new AbortController();
  const waiting = page.wait({ intervalMs: 600_000, signal: gone.signal });
  await until("the first question", () => (asked > 1 ? true : undefined));
  await new Promise((resolve) => setTimeout(resolve, 200));
  gone.abort(new Error("gone"));
  await assert.rejects(waiting, /gone/);
  assert.equal(asked, 2);
  proxy.close();
}

async function moneyOut() {
  const client = merchant(told.payouts);
  const { payin } = await client.createPayin({
    orderId: `${told.run}-payin`,
    amount: "1500",
    currency: "RUB",
    method: "sbp",
    callbackUri,
    address: "+79991234567",
    recipient: "Иван Петров",
  });
  assert.deepEqual([payin.status, payin.frozenUsdt], ["waiting", "16.54054055"]);
  assert.equal((await client.getPayin(payin.id)).status, "waiting");
  assert.equal((await client.cancelPayin(payin.id)).status, "cancelled");
  const balance = await client.getBalance(String(told.payouts.merchantCashboxId));
  assert.equal(balance.currency, "USDT");
  assert.match(balance.available, /^\d+\.\d{8}$/);
}

async function deposits() {
  const client = merchant(told.payouts);
  const request = {
    amount: "100.5",
    network: "ERC20",
    address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    idempotencyKey: randomUUID(),
  } as const;
  const { deposit, replayed } = await client.createDeposit(request);
  assert.deepEqual([deposit.status, deposit.amount, replayed], ["pending", "100.50000000", false]);
  assert.equal((await client.createDeposit(request)).replayed, true);
  assert.equal((await client.getDeposit(deposit.id)).network, "ERC20");
  const transaction = randomUUID().replaceAll("-", "").repeat(2);
  assert.equal((await client.nameTransaction(deposit.id, transaction)).namedTransactionHash, `0x${transaction}`);
}

// The sandbox's keys may ask for none, which only a call with a right signature is told.
async function withdrawals() {
  const client = merchant(told.payouts);
  const request = { orderId: "w", amount: "20", network: "TRC20", address: "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm" } as const;
  // One after the other: a refusal that nobody waits for yet would end the program.
  for (const call of [() => client.createWithdrawal(request), () => client.getWithdrawal("1"), () => client.listWithdrawals({ status: "requested" })]) {
    assert.equal((await failure(call())).code, "merchant_scope_required");
  }
}

async function appeal() {
  const client = merchant(told.roubles);
  const order = { amount: "1300.00", currency: "RUB", method: "sbp", callbackUri, orderId: `${told.run}-appeal` } as const;
  const { payment } = await client.createPayment(order);
  const file = { name: "receipt.pdf", content: new TextEncoder().encode("%PDF-1.4\n") };
  // The signature is right, or the answer would be about it.
  assert.equal((await failure(client.createAppeal(payment.id, "Платёж прошёл", file))).code, "appeal_payment_not_failed");
}

try {
  vectors();
  await payment();
  await signIn();
  await checkout();
  await busyProxy();
  await moneyOut();
  await deposits();
  await withdrawals();
  await appeal();
  console.log("all went well");
} finally {
  shop.close();
}
