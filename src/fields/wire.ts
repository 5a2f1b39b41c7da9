import { type Type, type } from 'arktype'
import { lazy } from '../lazy.ts'
import type { IdPrefix } from '../resources.ts'

/** Types of single values in the API. */

/** A prefix and 128 bits in base32. */
export const idOf = (prefix: IdPrefix): Type<string> => type(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))

/** The ID of an event, which has no prefix. */
export const uuid = lazy(() =>
  type(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/).configure({ format: 'uuid' }),
)

export const time = lazy(() => type(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/).configure({ format: 'date-time' }))
export const timeOrNull = lazy(() => time().or('null'))

export const minor = lazy(() => type('0 <= number.integer <= 9007199254740991'))
/** A sum that can be below zero, such as that of a discount. */
export const signedMinor = lazy(() => type('-9007199254740991 <= number.integer <= 9007199254740991'))
/** Atomic units of an asset: too large for a number. */
export const atomic = lazy(() => type(/^(0|[1-9]\d*)$/))
export const count = lazy(() => type('number.integer >= 0'))
export const currency = lazy(() => type(/^[A-Z]{3}$/))
export const chainId = lazy(() => type('1 <= number.integer <= 9007199254740991'))
export const address = lazy(() => type(/^0x[0-9a-fA-F]{40}$/))
export const txHash = lazy(() => type(/^0x[0-9a-f]{64}$/))
export const texts = lazy(() => type({ '[string]': 'string' }))
export const version = lazy(() => type(/^\d{4}-\d\d-\d\d$/))

export const text = lazy(() => type('string'))
export const textOrNull = lazy(() => type('string | null'))
export const flag = lazy(() => type('boolean'))
