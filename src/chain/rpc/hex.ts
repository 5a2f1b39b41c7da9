import { RpcFault } from './rpc.ts'

/** A quantity up to `max`, by default the largest safe integer. The format allows no leading zeros. */
export const readNumber = (value: unknown, what: string, max = Number.MAX_SAFE_INTEGER): number => {
  const number = Number(readQuantity(value, what))
  return number <= max ? number : notWellFormed(what)
}

/** A quantity of up to 256 bits. */
export const readBigint = (value: unknown, what: string): bigint => BigInt(readQuantity(value, what))

/** Hexadecimal bytes, in lower case. */
export const readBytes = (value: unknown, what: string, length?: number): string => {
  if (typeof value !== 'string' || value.length % 2 !== 0) return notWellFormed(what)
  if (length !== undefined && value.length !== 2 + 2 * length) return notWellFormed(what)
  // The common case, without a copy. A header has a kilobyte of this, and there are thousands of headers.
  if (/^0x[0-9a-f]*$/.test(value)) return value
  return /^0x[0-9a-fA-F]*$/.test(value) ? value.toLowerCase() : notWellFormed(what)
}

export const readHash = (value: unknown, what: string): string => readBytes(value, what, 32)

export const readAddress = (value: unknown, what: string): string => readBytes(value, what, 20)

export const readRecord = (value: unknown, what: string): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : notWellFormed(what)

export const readList = (value: unknown, what: string): readonly unknown[] =>
  Array.isArray(value) ? value : notWellFormed(what)

/** The number in the format of call parameters. */
export const toQuantity = (number: number | bigint): string => `0x${number.toString(16)}`

const readQuantity = (value: unknown, what: string): string =>
  typeof value === 'string' && /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/.test(value) ? value : notWellFormed(what)

/** The error names the field and never shows the value. */
export const notWellFormed = (what: string): never => {
  throw new RpcFault('garbage', `${what} is not well formed`)
}
