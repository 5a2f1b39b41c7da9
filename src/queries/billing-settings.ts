import type { NumberRestart } from '../billing/document-number.ts'
import type { TaxBehavior } from '../billing/invoice-sums.ts'
import type { PostalAddress } from '../fields/postal-address.ts'
import type { Sql } from '../postgres/connect.ts'
import type { AccountActor } from './security-events.ts'

export type BillingSettingsRow = {
  readonly merchant_id: string
  readonly legal_name: string | null
  readonly address: PostalAddress | null
  readonly tax_id: string | null
  readonly time_zone: string
  readonly invoice_prefix: string
  readonly credit_note_prefix: string
  readonly number_pattern: string
  readonly restart: NumberRestart
  readonly days_until_due: number
  readonly tax_rate_bps: number
  readonly tax_behavior: TaxBehavior
  readonly reminders: readonly number[]
  readonly notes: string | null
  readonly retention_years: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The settings of both modes, and the next numbers of the current series of one mode. */
export type ShownBillingSettings = {
  readonly settings: BillingSettingsRow
  readonly livemode: boolean
  readonly nextNumber: number
  readonly nextCreditNoteNumber: number
}

/** New values of columns. Undefined ones stay. */
export type BillingSettingsChanges = {
  readonly [Column in Exclude<keyof BillingSettingsRow, 'merchant_id' | 'created_at' | 'updated_at'>]?:
    | BillingSettingsRow[Column]
    | undefined
}

export const findBillingSettings = async (sql: Sql, merchantId: string): Promise<BillingSettingsRow | undefined> => {
  const [row] = await sql<BillingSettingsRow[]>`select * from billing_settings where merchant_id = ${merchantId}`
  return row
}

/**
 * Whether the database counts days in this time zone too. A runtime and a database can have different lists of them, and a few
 * names, such as `IST`, stand for different zones.
 */
export const isZoneOfDatabase = async (sql: Sql, timeZone: string): Promise<boolean> => {
  const [row] = await sql<{ known: boolean }[]>`
    select exists (select from pg_timezone_names where lower(name) = lower(${timeZone})) as known`
  return row?.known === true
}

export type BillingSettingsChange = {
  readonly merchantId: string
  readonly changes: BillingSettingsChanges
  readonly nextNumber: number | undefined
}

export type BillingSettingsOutcome = 'changed' | 'not_allowed' | 'too_soon'

export const updateBillingSettings = async (
  sql: Sql,
  { merchantId, changes, nextNumber }: BillingSettingsChange,
  by: AccountActor,
): Promise<BillingSettingsOutcome | undefined> => {
  const [answer] = await sql<{ outcome: BillingSettingsOutcome }[]>`
    select change_billing_settings(
      ${merchantId}, ${JSON.stringify(changes)}::text::jsonb, ${nextNumber ?? null}::integer,
      ${by.accountId}, ${by.actor}, ${by.address}) as outcome`
  return answer?.outcome
}
