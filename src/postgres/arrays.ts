import type { PostgresType } from 'postgres'

type Element = { readonly array: number; readonly parse: (text: string) => unknown }

const asText = (text: string) => text

/**
 * The array types that this program uses, with their OIDs, which never change. postgres.js would query them on the
 * first connection, and would not handle a rejection of that query: if the server went away at that moment, the process
 * ended.
 */
const elements: Readonly<Record<string, Element>> = {
  text: { array: 1009, parse: asText },
  varchar: { array: 1015, parse: asText },
  name: { array: 1003, parse: asText },
  uuid: { array: 2951, parse: asText },
  int2: { array: 1005, parse: Number },
  int4: { array: 1007, parse: Number },
  // As text, because a number cannot represent all values.
  int8: { array: 1016, parse: asText },
  float8: { array: 1022, parse: Number },
  numeric: { array: 1231, parse: asText },
  oid: { array: 1028, parse: Number },
  bool: { array: 1000, parse: text => text === 't' },
  bytea: { array: 1001, parse: text => Buffer.from(text.slice(2), 'hex') },
  timestamptz: { array: 1185, parse: text => new Date(text) },
  json: { array: 199, parse: text => JSON.parse(text) },
  jsonb: { array: 3807, parse: text => JSON.parse(text) },
}

export const arrayTypes: Readonly<Record<string, PostgresType>> = Object.fromEntries(
  Object.entries(elements).map(([name, { array, parse }]) => [
    `${name}[]`,
    {
      to: array,
      from: [array],
      serialize: writeArray,
      parse: (text: string) => readArray(text).map(each => (each === null ? null : parse(each))),
    },
  ]),
)

/** A value that is not an array is passed on: it is already an array literal such as `{a,b}`. */
function writeArray(values: unknown): unknown {
  return Array.isArray(values) ? `{${values.map(writeElement).join(',')}}` : values
}

const writeElement = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  const text = value instanceof Date ? value.toISOString() : String(value)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Parses an array of one dimension. */
const readArray = (text: string): readonly (string | null)[] =>
  Array.from(text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs), ([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return plain === undefined || plain === 'NULL' ? null : plain
  })
