import type { Sql } from '../postgres/connect.ts'
import type { AccountActor } from './security-events.ts'

/** A row of the view: the settings of one mode and those shared by both modes. */
export type SettingsRow = {
  readonly merchant_id: string
  readonly livemode: boolean
  readonly name: string
  /** Name of its file. */
  readonly logo: string | null
  readonly accent_color: string | null
  readonly support_email: string | null
  readonly support_url: string | null
  readonly receiving_address: string | null
  readonly receiving_addresses: Readonly<Record<string, string>>
  readonly confirmations: Readonly<Record<string, number>>
  readonly tolerance_bps: number
  readonly late_policy: 'accept_stablecoins' | 'needs_attention'
  readonly refund_mode: 'manual' | 'signer'
  readonly created_at: Date
  readonly updated_at: Date
}

/**
 * New values of columns of the view. Undefined ones stay. In values by chain only the given chains change; null
 * removes.
 */
export type SettingsChanges = { readonly [Column in Changeable]?: Change<SettingsRow[Column]> | undefined }

type Changeable = Exclude<keyof SettingsRow, 'merchant_id' | 'livemode' | 'logo' | 'created_at' | 'updated_at'>
type Change<T> = T extends Readonly<Record<string, infer Value>> ? Readonly<Record<string, Value | null>> : T

export const findSettings = async (
  sql: Sql,
  merchantId: string,
  livemode: boolean,
): Promise<SettingsRow | undefined> => {
  const [row] = await sql<SettingsRow[]>`
    select * from settings where merchant_id = ${merchantId} and livemode = ${livemode}`
  return row
}

export type SettingsOutcome = 'changed' | 'not_allowed' | 'too_many'

export const updateSettings = async (
  sql: Sql,
  change: { merchantId: string; livemode: boolean; changes: SettingsChanges },
  by: AccountActor,
): Promise<SettingsOutcome | undefined> => {
  const [answer] = await sql<{ outcome: SettingsOutcome }[]>`
    select change_settings(
      ${change.merchantId}, ${change.livemode}, ${JSON.stringify(change.changes)}::text::jsonb,
      ${by.accountId}, ${by.actor}, ${by.address}) as outcome`
  return answer?.outcome
}
