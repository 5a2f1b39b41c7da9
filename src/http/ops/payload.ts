import type { Kind } from '../../actors/kind.ts'

type Payload = Readonly<Record<string, unknown>>

/** The fields of an event as the machine takes them: JSON has neither large integers nor times. */
export const payloadOf = ({ columns }: Kind, payload: Payload = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(payload).map(([field, value]) => [field, decode(value, columns[field])]))

const decode = (value: unknown, column: Kind['columns'][string] | undefined): unknown => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, decode(inner, undefined)]))
  if (typeof value !== 'string') return value
  if (column === 'atomic' && /^\d{1,78}$/.test(value)) return BigInt(value)
  return TIME.test(value) ? new Date(value) : value
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/
