import type { Message } from "@bufbuild/protobuf";
import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";

/**
 * A message as data that survives JSON: 64-bit integers are decimal strings, times are ISO 8601 strings in UTC with
 * milliseconds. A field that has no value is absent.
 */
export type Plain<T> = T extends bigint
  ? string
  : T extends Timestamp
    ? string
    : T extends Uint8Array
      ? T
      : T extends readonly (infer Item)[]
        ? Plain<Item>[]
        : T extends object
          ? { [Key in keyof T as Key extends "$typeName" | "$unknown" ? never : Key]: Plain<T[Key]> }
          : T;

/** plain makes data of a message. */
export function plain<M extends Message>(message: M): Plain<M> {
  return convert(message) as Plain<M>;
}

function convert(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (isTimestamp(value)) return timestampDate(value).toISOString();
  // A map has keys of its own, which may begin as the marks of a message do.
  const marks = "$typeName" in value ? ["$typeName", "$unknown"] : [];
  const fields = Object.entries(value).filter(([name, field]) => !marks.includes(name) && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, convert(field)]));
}

function isTimestamp(value: object): value is Timestamp {
  return "$typeName" in value && value.$typeName === "google.protobuf.Timestamp";
}
