import type { Client, Interceptor } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { connect } from "./client.js";
import { GatewayError } from "./error.js";
import { CheckoutService, type CheckoutResponse } from "./gen/gateway/v1/checkout_pb.js";
import {
  AuthService,
  ConfirmTotpResponseSchema,
  type GetSessionResponse,
  LoginResponseSchema,
  TokenResponseSchema,
} from "./gen/portal/v1/auth_pb.js";
import { plain, type Plain } from "./plain.js";
import type { Card, Checkout } from "./types.js";

export * from "./index.js";

export interface CheckoutOptions {
  /** The gateway's API address, such as https://api.example.com. */
  baseUrl: string;
  /** The payment's checkoutUrl. It holds the token that gives access; nothing secret is needed besides. */
  checkoutUrl: string;
}

export interface WaitOptions {
  /** Called with the first state, and whenever the state has changed. */
  onChange?: (checkout: Checkout) => void;
  /** Ends the waiting. */
  signal?: AbortSignal;
  /** Milliseconds between two questions, 2 to 5 seconds; 3 seconds when not given. */
  intervalMs?: number;
}

/** CheckoutClient takes a payer through a card payment on a page of the merchant's own. It needs no secret. */
export class CheckoutClient {
  readonly #service: Client<typeof CheckoutService>;
  readonly #token: string;

  constructor({ baseUrl, checkoutUrl }: CheckoutOptions) {
    const token = URL.canParse(checkoutUrl) ? new URL(checkoutUrl).pathname.split("/pay/")[1] : undefined;
    if (!token) throw new TypeError("checkoutUrl must be the checkoutUrl of a payment");
    this.#token = token;
    this.#service = connect(CheckoutService, { baseUrl });
  }

  /** get reads how the checkout stands. */
  async get(signal?: AbortSignal): Promise<Checkout> {
    return state(await this.#service.getCheckout({ token: this.#token }, signal ? { signal } : {}));
  }

  /** submitCard sends the payer's card. */
  async submitCard(card: Card): Promise<Checkout> {
    return state(await this.#service.submitPayerDetails({ ...card, token: this.#token }));
  }

  /** submitCode sends the code that the payer's bank sent. */
  async submitCode(otp: string): Promise<Checkout> {
    return state(await this.#service.submitPayerOtp({ otp, token: this.#token }));
  }

  /** cancel cancels the payment for the payer. */
  async cancel(): Promise<Checkout> {
    return state(await this.#service.cancelCheckout({ token: this.#token }));
  }

  /**
   * wait asks how the checkout stands until the payment has ended. While the gateway cannot be reached it asks again;
   * any other error ends the waiting.
   */
  async wait({ onChange, signal, intervalMs = 3000 }: WaitOptions = {}): Promise<Checkout> {
    let seen = "";
    for (;;) {
      let pause = intervalMs;
      try {
        const checkout = await this.get(signal);
        const shown = JSON.stringify(checkout);
        if (shown !== seen) onChange?.(checkout);
        seen = shown;
        if (checkout.isTerminal) return checkout;
      } catch (thrown) {
        signal?.throwIfAborted();
        if (!(thrown instanceof GatewayError) || !thrown.repeatable) throw thrown;
        pause = Math.max(pause, 1000 * (thrown.retryAfter ?? 0));
      }
      await sleep(pause, signal);
    }
  }
}

function state(answer: CheckoutResponse): Checkout {
  if (answer.data === undefined) throw GatewayError.from(new Error("The answer holds no data."));
  return plain(answer.data) as Checkout;
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}

export interface PortalOptions {
  /** The gateway's API address, such as https://api.example.com. */
  baseUrl: string;
  /** A token of an earlier sign-in, to go on with it. */
  token?: string;
}

export type TokenKind = "cabinet" | "merchant_portal" | "trader" | "operator";

/** whole; or awaits_factor: call secondFactor; or awaits_enrolment: call beginTotp and confirmTotp of AuthService. */
export type SessionState = "whole" | "awaits_factor" | "awaits_enrolment";

export interface SignedIn {
  kind: TokenKind;
  state: SessionState;
  /** An ISO 8601 time. */
  expiresAt?: string;
}

export interface Credentials {
  login: string;
  password: string;
  /** A code of the authenticator app, or a recovery code. */
  totpCode?: string;
}

export type Session = Omit<Plain<GetSessionResponse>, "kind" | "state"> & {
  kind: TokenKind;
  state: SessionState;
};

/**
 * PortalClient signs a user in and makes calls with their token, which it keeps in memory only. Calls that answer with
 * a new token, such as a change of password, have the client go on with it.
 */
export class PortalClient {
  readonly #baseUrl: string;
  readonly #auth: Client<typeof AuthService>;
  #token: string | undefined;

  constructor({ baseUrl, token }: PortalOptions) {
    this.#baseUrl = baseUrl;
    this.#token = token;
    this.#auth = this.service(AuthService);
  }

  /** The present token, undefined when nobody is signed in. Who has it is the user: keep it as you keep a password. */
  get token(): string | undefined {
    return this.#token;
  }

  /** login signs a user in. Where its state is not whole, the sign-in has to be finished first. */
  async login(credentials: Credentials): Promise<SignedIn> {
    const { kind, state, expiresAt } = plain(await this.#auth.login(credentials));
    const ends = expiresAt === undefined ? {} : { expiresAt };
    return { kind: kind as TokenKind, state: state as SessionState, ...ends };
  }

  /** secondFactor finishes a sign-in by a code of the authenticator app, or a recovery code. */
  async secondFactor(code: string): Promise<void> {
    await this.#auth.secondFactor({ code });
  }

  /** logout ends the session. */
  async logout(): Promise<void> {
    await this.#auth.logout({});
    this.#token = undefined;
  }

  /** session tells who is signed in and what they may do. */
  async session(): Promise<Session> {
    return plain(await this.#auth.getSession({})) as Session;
  }

  /** service makes a client of any service below gateway-client/gen. There 64-bit ids are bigints. */
  service<Service extends DescService>(service: Service): Client<Service> {
    return connect(service, { baseUrl: this.#baseUrl, interceptors: [this.#authorize] });
  }

  readonly #authorize: Interceptor = (next) => async (request) => {
    if (this.#token !== undefined) request.header.set("Authorization", `Bearer ${this.#token}`);
    const answer = await next(request);
    if (!answer.stream && tokenAnswers.has(answer.message.$typeName) && "token" in answer.message) {
      this.#token = String(answer.message.token);
    }
    return answer;
  };
}

/** Messages whose token takes the place of the one before. */
const tokenAnswers: ReadonlySet<string> = new Set([
  LoginResponseSchema.typeName,
  TokenResponseSchema.typeName,
  ConfirmTotpResponseSchema.typeName,
]);
