export { GatewayError } from "./error.js";
export type { Plain } from "./plain.js";
export * from "./types.js";
