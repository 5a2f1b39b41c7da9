import type { Command } from '../actors/command.ts'
import type { Services } from '../actors/services.ts'
import { dayIn } from '../billing/days.ts'
import { parseNumberPattern, seriesYear } from '../billing/document-number.ts'
import { refuse } from '../errors.ts'
import {
  type BillingSettingsChange,
  type BillingSettingsRow,
  findBillingSettings,
  isZoneOfDatabase,
  type ShownBillingSettings,
  updateBillingSettings,
} from '../queries/billing-settings.ts'
import { findSeries, type SeriesKey, seriesIdOf } from '../queries/document-series.ts'
import type { AccountActor } from '../queries/security-events.ts'

export const getBillingSettings = async (
  { sql, clock }: Services,
  merchantId: string,
  livemode: boolean,
): Promise<ShownBillingSettings> => {
  const settings = (await findBillingSettings(sql, merchantId)) ?? refuse('resource_not_found')
  const nextIn = async (documentKind: SeriesKey['documentKind']) =>
    ((await findSeries(sql, currentSeries(settings, livemode, clock.now(), documentKind)))?.context.lastNumber ?? 0) + 1
  const [nextNumber, nextCreditNoteNumber] = await Promise.all([nextIn('invoice'), nextIn('credit_note')])
  return { settings, livemode, nextNumber, nextCreditNoteNumber }
}

/** Returns the current settings, which can include changes of other requests. */
export const changeBillingSettings = async (
  services: Services,
  { livemode, ...change }: BillingSettingsChange & { readonly livemode: boolean },
  by: AccountActor,
): Promise<ShownBillingSettings> => {
  const { merchantId, changes, nextNumber } = change
  const settings = (await findBillingSettings(services.sql, merchantId)) ?? refuse('resource_not_found')
  const { time_zone: timeZone } = changes
  if (timeZone !== undefined && !(await isZoneOfDatabase(services.sql, timeZone)))
    refuse('parameter_invalid', { param: 'timeZone', message: 'timeZone must be a name of the IANA database.' })
  const after = { ...settings, ...withoutUndefined(changes) }
  const parsed = parseNumberPattern(after.number_pattern, after.restart)
  if (!parsed.ok) refuse('parameter_invalid', { param: 'numberPattern', message: parsed.message })
  if (nextNumber !== undefined) await setNextNumber(services, after, { livemode, nextNumber, cause: by.actor })
  const outcome = await updateBillingSettings(services.sql, change, by)
  // The role may have been changed since the guard has checked it.
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'too_soon')
    refuse('state_conflict', { param: 'timeZone', message: 'timeZone can be changed once in 24 hours.' })
  return getBillingSettings(services, merchantId, livemode)
}

const withoutUndefined = <T extends object>(changes: T) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof T]: Exclude<T[Name], undefined>
  }

const currentSeries = (
  { merchant_id: merchantId, time_zone, restart }: BillingSettingsRow,
  livemode: boolean,
  now: Date,
  documentKind: SeriesKey['documentKind'] = 'invoice',
): SeriesKey => ({
  ...{ merchantId, livemode, documentKind, testClockId: null },
  year: seriesYear(restart, dayIn(time_zone, now)) ?? 0,
})

type NextNumber = { readonly livemode: boolean; readonly nextNumber: number; readonly cause: string }

/**
 * Sets the next number of the current series of both modes. A merchant that has issued invoices in test mode only can
 * still set it for live mode alone.
 */
const setNextNumber = async (
  { sql, clock, actors }: Services,
  settings: BillingSettingsRow,
  { livemode, nextNumber, cause }: NextNumber,
): Promise<void> => {
  const keys = (livemode ? [true] : [false, true]).map(mode => currentSeries(settings, mode, clock.now()))
  for (let attempt = 0; ; attempt++) {
    const commands = await Promise.all(
      keys.map(async (key): Promise<Command> => {
        const series = { kind: 'document_series', actor: seriesIdOf(key), cause }
        return (await findSeries(sql, key))
          ? { ...series, event: { type: 'set_next_number', nextNumber } }
          : { ...series, create: { ...key, firstNumber: nextNumber } }
      }),
    )
    const outcome = await actors.dispatchBundle(commands)
    if (outcome.ok) return
    // A document was issued, or the number set, since the series were read.
    if (outcome.refusal === 'exists' && attempt < 3) continue
    refuse('state_conflict', {
      param: 'nextNumber',
      message: 'nextNumber can be raised, not lowered, and only before the first number of the series is given.',
    })
  }
}
