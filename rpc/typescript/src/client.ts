import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { create, toJson, type DescMethod, type DescService, type MessageInitShape } from "@bufbuild/protobuf";
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
  return translated(service, createClient(service, transport));
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
function translated<Service extends DescService>(service: Service, client: Client<Service>): Client<Service> {
  const calls = Object.entries(client as Record<string, Call>).map(([name, call]) => [
    name,
    async (...given: unknown[]) => {
      check(service.method[name]!, given[0]);
      return call(...given).catch((thrown: unknown) => {
        throw GatewayError.from(thrown);
      });
    },
  ]);
  return Object.fromEntries(calls) as Client<Service>;
}

/** What a field takes, by what the encoder says that it expected. */
const taken: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  bigint: "a bigint",
  boolean: "a boolean",
  Uint8Array: "a Uint8Array",
  ReflectMap: "an object of strings",
};

/**
 * check refuses a request of which no message can be made. The call's own error would look as if the network had failed,
 * and would quote the value, which may be a card's number.
 */
function check({ name, input }: DescMethod, request: unknown): void {
  try {
    toJson(input, create(input, request as MessageInitShape<typeof input>));
  } catch (thrown) {
    const [, proto = "", expected = ""] = /(\w+) to JSON: .*?expected (\w+)/.exec(String(thrown)) ?? [];
    const field = proto.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const decimal = expected === "string" && /amount|percent/i.test(field);
    const kind = decimal ? 'a decimal string such as "12.50"' : taken[expected];
    throw new TypeError(kind ? `${field} must be ${kind}` : `${name} was given a field of another type than it takes`);
  }
}
