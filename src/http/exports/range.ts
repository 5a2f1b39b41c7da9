import { isDay } from '../../billing/days.ts'
import { refuse } from '../../errors.ts'
import type { Sql } from '../../postgres/connect.ts'
import { findBillingSettings } from '../../queries/billing-settings.ts'
import type { ExportRange } from '../../queries/exports.ts'
import { momentOf } from '../moment.ts'

const DAY_MS = 86_400_000
const MOST_DAYS = 400

type Sent = { readonly from: string; readonly to: string }

/** Days begin at midnight in the time zone of the merchant. */
export const rangeOf = async (sql: Sql, merchantId: string, { from, to }: Sent): Promise<ExportRange> => {
  const days = isDay(from) || isDay(to)
  const timeZone = (days ? (await findBillingSettings(sql, merchantId))?.time_zone : undefined) ?? 'UTC'
  const range = { from: momentOf(timeZone, from), to: momentOf(timeZone, to) }
  if (range.from >= range.to) refuse('parameter_invalid', { param: 'to', message: 'to must be later than from.' })
  // Days of the calendar: 400 of them can have an hour more or less.
  const length =
    isDay(from) && isDay(to) ? Date.parse(to) - Date.parse(from) : range.to.getTime() - range.from.getTime()
  if (length > MOST_DAYS * DAY_MS)
    refuse('parameter_invalid', { param: 'to', message: `to must be at most ${MOST_DAYS} days after from.` })
  return range
}
