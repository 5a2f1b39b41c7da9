import type { Interval } from '../../../billing/periods.ts'
import type { Formats } from '../../text/format.ts'
import type { PlansTexts } from './texts.ts'

export type RepeatedPrice = {
  readonly amountMinor: number
  readonly currency: string
  readonly interval: Interval
  readonly intervalCount: number
}

/** `€9.99 per month` */
export const priceWords = (
  { amountMinor, currency, interval, intervalCount }: RepeatedPrice,
  { per }: Pick<PlansTexts, 'per'>,
  formats: Formats,
): string => `${formats.money(amountMinor, currency)} ${per[interval](intervalCount)}`
