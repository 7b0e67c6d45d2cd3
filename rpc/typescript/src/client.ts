import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { DescService } from "@bufbuild/protobuf";
import { GatewayError } from "./error.js";

/** How long a call may take before it is given up. */
const timeoutMs = 30_000;

export type Fetch = typeof globalThis.fetch;

export interface Connection {
  baseUrl: string;
  fetch?: Fetch;
  interceptors?: Interceptor[];
}

/** connect makes a client of a service. Its calls throw GatewayErrors. */
export function connect<Service extends DescService>(service: Service, connection: Connection): Client<Service> {
  const transport = createConnectTransport({
    ...connection,
    baseUrl: checkedUrl(connection.baseUrl),
    defaultTimeoutMs: timeoutMs,
  });
  return translated(createClient(service, transport));
}

/** checkedUrl refuses a wrong base URL at once: a call's error would not say what is wrong. */
function checkedUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  if (protocol !== "https:" && protocol !== "http:") {
    throw new TypeError(`baseUrl must be a whole URL such as https://api.example.com, and is ${JSON.stringify(text)}`);
  }
  return text.replace(/\/+$/, "");
}

type Call = (...given: unknown[]) => Promise<unknown>;

/** translated is the client with errors of ours. All calls of the gateway are unary, so each returns a promise. */
function translated<Service extends DescService>(client: Client<Service>): Client<Service> {
  const calls = Object.entries(client as Record<string, Call>).map(([name, call]) => [
    name,
    (...given: unknown[]) =>
      call(...given).catch((thrown: unknown) => {
        throw GatewayError.from(thrown);
      }),
  ]);
  return Object.fromEntries(calls) as Client<Service>;
}
