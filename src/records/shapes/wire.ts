import { type Type, type } from 'arktype'
import { encodeId } from '../../ids.ts'
import { lazy } from '../../lazy.ts'
import { type ExampleName, type IdPrefix, resources } from '../../resources.ts'

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
/** Atomic units of an asset: too large for a number. */
export const atomic = lazy(() => type(/^(0|[1-9]\d*)$/))
export const count = lazy(() => type('number.integer >= 0'))
export const currency = lazy(() => type(/^[A-Z]{3}$/))
export const chainId = lazy(() => type('1 <= number.integer <= 9007199254740991'))
export const address = lazy(() => type(/^0x[0-9a-fA-F]{40}$/))
export const txHash = lazy(() => type(/^0x[0-9a-f]{64}$/))
export const texts = lazy(() => type({ '[string]': 'string' }))
export const version = lazy(() => type(/^\d{4}-\d\d-\d\d$/))

/** The ID of a resource in all examples, so that the examples belong together. */
export const exampleId = (name: ExampleName): string => {
  const { prefix, example } = resources[name]
  const uuid = `0193a000-0000-7000-8000-${example.toString(16).padStart(12, '0')}`
  return prefix === null ? uuid : encodeId(prefix, uuid)
}

/** Other values of all examples. */
export const example = {
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  txHash: '0x88df016429689c079f3b2f6ad39fa052532c50795b733da78a91ebe6a713944b',
  blockHash: '0x1d59ff54b1eb26b013ce3cb5fc9dab3705b415a67127a003c3e61eb445bb8df2',
  at: '2026-11-20T12:00:00.000Z',
  later: '2026-11-20T12:03:10.250Z',
} as const
