import type { Sql } from '../postgres/connect.ts'
import type { SignerLimit } from './signer-setup.ts'
import type { WaitReason } from './signing.ts'

export type ListedSigner = {
  readonly merchantId: string
  readonly chainId: number
  readonly address: string
  readonly isRemoved: boolean
  /** Whether the merchant's settings enable it in one of the modes. */
  readonly isOn: boolean
  /** It signs nothing until an operator has released it. */
  readonly isOnHold: boolean
  readonly limits: readonly SignerLimit[]
  /** The number of signed transactions whose outcome is not final. */
  readonly open: number
  /** Since when there is a nonce for which no node shows the transaction that used it; null if there is none. */
  readonly unclearSince: Date | null
  readonly waits: readonly { readonly reason: WaitReason; readonly count: number; readonly since: Date }[]
}

type Row = Omit<ListedSigner, 'chainId' | 'waits'> & {
  readonly chainId: string
  readonly waits: readonly { readonly reason: WaitReason; readonly count: number; readonly since: string }[]
}

/** Signers with a stored key. Sandbox signers have none and are not listed. */
export const listSigners = async (sql: Sql): Promise<readonly ListedSigner[]> => {
  const rows = await sql<Row[]>`
    select s.merchant_id as "merchantId", s.chain_id as "chainId", s.address, s.removed_at is not null as "isRemoved",
      exists (select from working_signers w where w.id = s.id) as "isOn",
      is_on_hold(s) as "isOnHold",
      (select coalesce(json_agg(json_build_object('currency', currency, 'perRefundMinor', per_refund_minor,
        'perDayMinor', per_day_minor) order by currency), '[]')
        from refund_signer_limits l where l.signer_id = s.id) as limits,
      (select count(*)::integer from signer_nonces n where n.signer_id = s.id and n.state = 'open') as open,
      (select min(u.since) from unclear_nonces u where u.signer_id = s.id) as "unclearSince",
      (select coalesce(json_agg(w order by w.reason), '[]') from (
        select w.reason, count(*)::integer as count, min(w.since) as since
        from signing_waits w join refunds r on r.id = w.refund_id and r.state = 'requires_signature'
        where w.signer_id = s.id group by w.reason) w) as waits
    from refund_signers s
    where s.sealed_key is not null
    order by s.merchant_id, s.chain_id, s.created_at`
  return rows.map(row => ({
    ...row,
    chainId: Number(row.chainId),
    waits: row.waits.map(wait => ({ ...wait, since: new Date(wait.since) })),
  }))
}
