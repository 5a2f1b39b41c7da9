import { type } from 'arktype'
import { isTimeZone } from '../billing/days.ts'
import { isNumberPrefix } from '../billing/document-number.ts'
import { changeBillingSettings, getBillingSettings } from '../commands/billing-settings.ts'
import type { BillingSettingsChanges } from '../queries/billing-settings.ts'
import { billingSettingsRecord } from '../records/billing-settings.ts'
import { accountActorOf } from './account-actor.ts'
import { getBillingSettingsDocs, updateBillingSettingsDocs } from './docs/billing-settings.ts'
import { livemodeQuery } from './list.ts'
import { postalAddressField, postalAddressOf } from './postal-address.ts'
import { forMembers, type Parsed, type Route } from './route.ts'
import { boundedText, shownText } from './text.ts'

const path = '/v1/merchants/:merchantId/settings/billing'

/** Days from the due date. */
export const reminderOffsets = () => type('-30 <= number.integer <= 90').array().atMostLength(8).narrow(areDifferent)

const areDifferent = (offsets: readonly number[]): boolean => new Set(offsets).size === offsets.length

const prefix = () => boundedText(1, 20).narrow(isNumberPrefix)

const settingsChange = () =>
  type({
    'legalName?': shownText(1, 200).or('null'),
    'address?': postalAddressField().or('null'),
    'taxId?': shownText(1, 200).or('null'),
    'timeZone?': boundedText(1, 64).narrow(isTimeZone),
    'invoicePrefix?': prefix(),
    'creditNotePrefix?': prefix(),
    'numberPattern?': boundedText(1, 60),
    'restart?': "'yearly' | 'never'",
    'nextNumber?': '1 <= number.integer <= 999999999',
    'daysUntilDue?': '0 <= number.integer <= 365',
    'taxRateBps?': '0 <= number.integer <= 10000',
    'taxBehavior?': "'exclusive' | 'inclusive'",
    'reminders?': reminderOffsets(),
    'notes?': shownText(1, 2_000).or('null'),
    'retentionYears?': '1 <= number.integer <= 50',
  })

export const billingSettingsRoutes: readonly Route[] = [
  forMembers(
    'GET',
    { role: 'viewer' },
    {
      path,
      docs: getBillingSettingsDocs,
      query: livemodeQuery,
      handle: async (api, { member, query }) => ({
        status: 200,
        body: billingSettingsRecord.render(await getBillingSettings(api, member.merchantId, query.livemode)),
      }),
    },
  ),

  forMembers(
    'PATCH',
    { role: 'owner', stepUp: true },
    {
      path,
      docs: updateBillingSettingsDocs,
      query: livemodeQuery,
      body: settingsChange,
      handle: async (api, call) => {
        const { body, member, query } = call
        const { nextNumber } = body
        const change = { merchantId: member.merchantId, changes: changesOf(body), nextNumber, livemode: query.livemode }
        return {
          status: 200,
          body: billingSettingsRecord.render(await changeBillingSettings(api, change, accountActorOf(call))),
        }
      },
    },
  ),
]

/** From the names in the API to those of the columns. A field that was not sent is undefined. */
const changesOf = ({ address, ...body }: Parsed<typeof settingsChange>): BillingSettingsChanges => ({
  legal_name: body.legalName,
  address: address && postalAddressOf(address),
  tax_id: body.taxId,
  time_zone: body.timeZone,
  invoice_prefix: body.invoicePrefix,
  credit_note_prefix: body.creditNotePrefix,
  number_pattern: body.numberPattern,
  restart: body.restart,
  days_until_due: body.daysUntilDue,
  tax_rate_bps: body.taxRateBps,
  tax_behavior: body.taxBehavior,
  reminders: body.reminders,
  notes: body.notes,
  retention_years: body.retentionYears,
})
