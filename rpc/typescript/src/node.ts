import { createHmac } from "node:crypto";
import { inspect } from "node:util";
import type { Message } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { connect, type Fetch } from "./client.js";
import { GatewayError } from "./error.js";
import { CashboxService, type CashboxBalance } from "./gen/gateway/v1/cashbox_pb.js";
import { DepositService } from "./gen/gateway/v1/deposit_pb.js";
import { EventService } from "./gen/gateway/v1/event_pb.js";
import { PayinService } from "./gen/gateway/v1/payin_pb.js";
import { PaymentService } from "./gen/gateway/v1/payment_pb.js";
import { WithdrawalService } from "./gen/gateway/v1/withdrawal_pb.js";
import { plain, type Plain } from "./plain.js";
import type {
  Appeal,
  CodeResend,
  Deposit,
  DepositStatus,
  Event,
  Metadata,
  NewDeposit,
  NewPayin,
  NewPayment,
  NewWithdrawal,
  Payin,
  PayinStatus,
  Payment,
  PaymentListItem,
  PaymentMethod,
  PaymentStatus,
  Withdrawal,
  WithdrawalStatus,
} from "./types.js";

export * from "./index.js";

/** Names of the headers of a signed call, where the operator has changed them. */
export interface HeaderNames {
  keyId?: string;
  secret?: string;
  signature?: string;
}

export interface MerchantOptions {
  /** The gateway's API address, such as https://api.example.com. */
  baseUrl: string;
  /** The public id of the key. */
  keyId: string;
  /** The key's secret. Never give it to a browser. */
  secret: string;
  headers?: HeaderNames;
}

/** Whether a creation answered with what an earlier, same call had created. */
export interface Replay {
  replayed: boolean;
  /** The fields that differ from the earlier call's. The earlier call's values hold. Empty unless replayed. */
  mismatched: string[];
}

/** Filter says which records a list has. */
export interface Filter<Status> {
  status?: Status;
  /** Only what was created from then on: an ISO 8601 time with its zone. */
  from?: string;
  /** Only what was created before then: an ISO 8601 time with its zone. */
  to?: string;
  /** Only what has this pair: one at most. */
  metadata?: Metadata;
  /** 1 to 100; 50 when not given. */
  limit?: number;
  /** The nextCursor of the page before. */
  cursor?: string;
}

/** Page is a part of a list. Without a nextCursor it is the last. */
export interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

/** An appeal's file. */
export interface AppealFile {
  name: string;
  content: Uint8Array;
}

/**
 * MerchantClient makes a merchant's calls and signs each of them. Every call throws a GatewayError when it fails, and a
 * TypeError or RangeError before it is sent where a value is of another type than its field.
 */
export class MerchantClient {
  readonly #payments: Client<typeof PaymentService>;
  readonly #payins: Client<typeof PayinService>;
  readonly #deposits: Client<typeof DepositService>;
  readonly #withdrawals: Client<typeof WithdrawalService>;
  readonly #events: Client<typeof EventService>;
  readonly #cashboxes: Client<typeof CashboxService>;
  readonly #appealHeaders: (reason: string, file: AppealFile) => Record<string, string>;

  constructor(options: MerchantOptions) {
    // The error of a header would quote the secret, and come as if the network had failed.
    for (const name of ["keyId", "secret"] as const) {
      if (typeof options[name] !== "string" || !/^[\x20-\x7e]+$/.test(options[name])) {
        throw new TypeError(`${name} must be a string of printable ASCII without line breaks: trim it where it is read`);
      }
    }
    new Headers(signed(options, "")); // throws where a header cannot be called so
    this.#appealHeaders = (reason, { name, content }) =>
      signed(options, signAppeal(options.secret, reason, name, content.length));
    const connection = { baseUrl: options.baseUrl, fetch: signingFetch(options) };
    this.#payments = connect(PaymentService, connection);
    this.#payins = connect(PayinService, connection);
    this.#deposits = connect(DepositService, connection);
    this.#withdrawals = connect(WithdrawalService, connection);
    this.#events = connect(EventService, connection);
    this.#cashboxes = connect(CashboxService, connection);
  }

  /** createPayment creates a payment, or answers with the one already created under the same orderId and method. */
  async createPayment(request: NewPayment): Promise<Replay & { payment: Payment }> {
    const { payer, ...rest } = request;
    const created = await replayable((onHeader) =>
      this.#payments.createPayment({ ...rest, ...(payer && { payer: payerMessage(payer) }) }, { onHeader }),
    );
    return { payment: data<Payment>(created.answer), ...created.replay };
  }

  /** getPayment reads a payment by its id or its uuid. */
  async getPayment(paymentId: string): Promise<Payment> {
    return data<Payment>(await this.#payments.getPayment({ paymentId }));
  }

  /** listPayments lists payments, the newest first. Of an order id there is at most one for each method. */
  async listPayments(filter: Filter<PaymentStatus> & { orderId?: string; method?: PaymentMethod } = {}) {
    return page<PaymentListItem>(await this.#payments.listPayments(filtered(filter)));
  }

  /** createAppeal opens the one appeal that a failed payment may have, within 24 hours of its failure. */
  async createAppeal(paymentId: string, reason: string, file: AppealFile): Promise<Appeal> {
    const answer = await this.#payments.createAppeal(
      { paymentId: integer("paymentId", paymentId), reason, fileName: file.name, file: file.content },
      { headers: this.#appealHeaders(reason, file) },
    );
    return data<Appeal>(answer);
  }

  /** resendCode has the code of a quasi_ecom payment sent again: three times for a payment, 45 seconds apart. */
  async resendCode(paymentId: string): Promise<CodeResend> {
    return data<CodeResend>(await this.#payments.resendCode({ paymentId }));
  }

  /** createPayin creates a payout, or answers with the one already created under the same orderId and method. */
  async createPayin(request: NewPayin): Promise<Replay & { payin: Payin }> {
    const created = await replayable((onHeader) => this.#payins.createPayin(request, { onHeader }));
    return { payin: data<Payin>(created.answer), ...created.replay };
  }

  /** getPayin reads a payout by its uuid. */
  async getPayin(payinId: string): Promise<Payin> {
    return data<Payin>(await this.#payins.getPayin({ payinId }));
  }

  /** listPayins lists payouts, the newest first. */
  async listPayins(filter: Filter<PayinStatus> & { orderId?: string } = {}) {
    return page<Payin>(await this.#payins.listPayins(filtered(filter)));
  }

  /** cancelPayin takes back a payout that still waits. */
  async cancelPayin(payinId: string): Promise<Payin> {
    return data<Payin>(await this.#payins.cancelPayin({ payinId }));
  }

  /** createDeposit asks for a deposit, or answers with the one already asked for under the same idempotencyKey. */
  async createDeposit(request: NewDeposit): Promise<Replay & { deposit: Deposit }> {
    const { merchantCashboxId, ...rest } = request;
    const bound = merchantCashboxId === undefined ? {} : cashbox(merchantCashboxId);
    const created = await replayable((onHeader) => this.#deposits.createDeposit({ ...rest, ...bound }, { onHeader }));
    return { deposit: data<Deposit>(created.answer), ...created.replay };
  }

  /** getDeposit reads a deposit by its id. */
  async getDeposit(depositId: string): Promise<Deposit> {
    return data<Deposit>(await this.#deposits.getDeposit({ depositId: integer("depositId", depositId) }));
  }

  /** nameTransaction names the transaction by which you send the USDT of a pending deposit. */
  async nameTransaction(depositId: string, transactionHash: string): Promise<Deposit> {
    const id = integer("depositId", depositId);
    return data<Deposit>(await this.#deposits.nameTransaction({ depositId: id, transactionHash }));
  }

  /** listDeposits lists deposits, the newest first. */
  async listDeposits(filter: Filter<DepositStatus> & { idempotencyKey?: string } = {}) {
    return page<Deposit>(await this.#deposits.listDeposits(filtered(filter)));
  }

  /** createWithdrawal asks for a withdrawal, or answers with the one already asked for under the same orderId. */
  async createWithdrawal(request: NewWithdrawal): Promise<Replay & { withdrawal: Withdrawal }> {
    const { merchantCashboxId, ...rest } = request;
    const bound = merchantCashboxId === undefined ? {} : cashbox(merchantCashboxId);
    const created = await replayable((onHeader) => this.#withdrawals.createWithdrawal({ ...rest, ...bound }, { onHeader }));
    return { withdrawal: data<Withdrawal>(created.answer), ...created.replay };
  }

  /** getWithdrawal reads a withdrawal by its id. */
  async getWithdrawal(withdrawalId: string): Promise<Withdrawal> {
    const id = integer("withdrawalId", withdrawalId);
    return data<Withdrawal>(await this.#withdrawals.getWithdrawal({ withdrawalId: id }));
  }

  /** listWithdrawals lists withdrawals, the newest first. */
  async listWithdrawals(filter: Omit<Filter<WithdrawalStatus>, "metadata"> & { orderId?: string } = {}) {
    return page<Withdrawal>(await this.#withdrawals.listWithdrawals(filtered(filter)));
  }

  /**
   * listEvents lists webhook events, the oldest first, for a shop that was away when they were sent. Keep nextCursor:
   * who goes on from there never misses an event.
   */
  async listEvents(from: { cursor?: string; limit?: number } = {}) {
    return page<Event>(await this.#events.listEvents(from));
  }

  /** getBalance reads what a cashbox holds, in USDT with eight decimals. */
  async getBalance(merchantCashboxId: string): Promise<Plain<CashboxBalance>> {
    return data<Plain<CashboxBalance>>(await this.#cashboxes.getBalance(cashbox(merchantCashboxId)));
  }
}

const cashbox = (id: string) => ({ merchantCashboxId: integer("merchantCashboxId", id) });

/** integer reads an id. It throws a RangeError that names the field, since BigInt's own error does not. */
function integer(field: string, text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new RangeError(`${field} must be a decimal integer, and is ${JSON.stringify(text)}`);
  return BigInt(text);
}

function payerMessage({ payments, ...rest }: NonNullable<NewPayment["payer"]>) {
  if (payments === undefined) return rest;
  const count = (name: "successful" | "expired") => integer(`payer.payments.${name}`, String(payments[name]));
  return { ...rest, payments: { successful: count("successful"), expired: count("expired") } };
}

/** data takes the record out of an answer. The type says which closed lists its texts are of. */
function data<Record>(answer: { data?: Message | undefined }): Record {
  if (answer.data === undefined) throw GatewayError.from(new Error("The answer holds no data."));
  return plain(answer.data) as Record;
}

/** filtered has times as messages have them. */
function filtered<F extends Filter<unknown>>({ from, to, ...rest }: F) {
  return {
    ...rest,
    ...(from !== undefined && { from: time("from", from) }),
    ...(to !== undefined && { to: time("to", to) }),
  };
}

function time(field: string, text: string) {
  const date = new Date(text);
  // Without a zone it would be a time of wherever this runs.
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(text) || Number.isNaN(date.getTime())) {
    throw new RangeError(`${field} must be an ISO 8601 time with its zone, as a string, and is ${inspect(text)}`);
  }
  return timestampFromDate(date);
}

/** page takes the records out of an answer, as data does. */
function page<Item>(answer: { data: Message[]; nextCursor?: string | undefined }): Page<Item> {
  const items = answer.data.map((item) => plain(item) as Item);
  return answer.nextCursor === undefined ? { items } : { items, nextCursor: answer.nextCursor };
}

/** replayable makes a creation and reads from the answer's headers whether it was a repeat. */
async function replayable<Answer>(create: (onHeader: (header: Headers) => void) => Promise<Answer>) {
  let header = new Headers();
  const answer = await create((received) => (header = received));
  const mismatch = header.get("Idempotent-Mismatch");
  return {
    answer,
    replay: { replayed: header.get("Idempotent-Replay") === "true", mismatched: mismatch?.split(/,\s*/) ?? [] },
  };
}

/** sign is the value of the header Signature, for a client of your own. A request without a body signs "". */
export function sign(secret: string, body: string | Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/** signAppeal is the signature of an appeal: of four lines, and not of its body. */
export function signAppeal(secret: string, reason: string, fileName: string, fileSize: number): string {
  return sign(secret, `appeal-v1\n${reason}\n${fileName}\n${fileSize}`);
}

/** signed are the three headers of a call. */
function signed({ keyId, secret, headers }: MerchantOptions, signature: string): Record<string, string> {
  return {
    [headers?.keyId ?? "X-Merchant-Key-Id"]: keyId,
    [headers?.secret ?? "X-Merchant-Secret"]: secret,
    [headers?.signature ?? "Signature"]: signature,
  };
}

/** signingFetch signs the bytes that are sent. A signature that is there already stays: an appeal's is not its body's. */
function signingFetch(options: MerchantOptions): Fetch {
  return (input, init) => {
    const header = new Headers(init?.headers);
    const body = init?.body ?? "";
    if (typeof body !== "string" && !(body instanceof Uint8Array)) throw new TypeError("only bytes can be signed");
    for (const [name, value] of Object.entries(signed(options, sign(options.secret, body)))) {
      if (!header.has(name)) header.set(name, value);
    }
    return fetch(input, { ...init, headers: header });
  };
}
