import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { type Beginning, type BeginningRow, readBeginning } from './refund-transactions.ts'

/** A transfer with a refund's asset, amount and destination, which may be the refund's payment. */
export type Noticed = {
  readonly refund: Actor<Refund>
  readonly txHash: string
  readonly looks: number
  /** The sender, as shown by a single node. */
  readonly from: string | null
  /** It was reported as the refund's transaction, and the refund has given it up or could not accept it. */
  readonly isReported: boolean
  /** The sender is a receiving address of the refund's merchant. */
  readonly isMerchants: boolean
  /**
   * No other refund that waits for a signature matches, including those of other merchants with this receiving address.
   */
  readonly isOnlyFit: boolean
  /** From this block on it may be for another matching refund that is not paid yet; null if no other one matches. */
  readonly othersFrom: number | null
  /** Another matching refund is paid with it, or a refund signer has signed it for another refund. */
  readonly isOfAnother: boolean
  /** A signed transaction of the refund's signer may still be mined, whether nodes know it or not. */
  readonly isSigned: boolean
  /** How far the chain was read when the refund was created; null if that is not known. */
  readonly begun: Beginning | null
}

const readRefund = readerOf(refundKind)

/** Claims transfers that are due to be checked, by postponing their next check. */
export const claimNoticed = async (sql: Sql, chainId: number, max: number): Promise<readonly Noticed[]> => {
  const rows = await sql<(ActorRow & BeginningRow & NoticedRow)[]>`
    select r.*, n.tx_hash as "noticedHash", n.looks, n.from_address as "from", n.from_address is null as "isReported",
      b.final_number, b.head_number, is_treasury_of(r, n.from_address) as "isMerchants",
      alike.waiting = 1 as "isOnlyFit", alike.others_from,
      alike.has_it or exists (
        select from signed_transactions t join signer_nonces s using (signer_id, nonce)
        where t.chain_id = n.chain_id and t.tx_hash = n.tx_hash and s.refund_id is distinct from r.id) as "isOfAnother",
      exists (select from signer_nonces s where s.refund_id = r.id and s.state = 'open') as "isSigned"
    from claim_noticed_transfers(${chainId}, ${max}) n join refunds r on r.id = n.refund_id
    left join lateral beginning_before(r, n.tx_hash) b on true
    cross join lateral (
      select count(*) filter (where w.state = 'requires_signature' and is_treasury_of(w, n.from_address)) as waiting,
        min(coalesce(wb.final_number, -1)) filter (
          where w.id <> r.id and w.state in ('requires_signature', 'processing') and is_treasury_of(w, n.from_address)
        ) as others_from,
        coalesce(bool_or(w.id <> r.id and w.tx_hash = n.tx_hash), false) as has_it
      from refund_destinations o join refunds w on w.id = o.refund_id
      left join lateral beginning_before(w, n.tx_hash) wb on true
      where o.chain_id = n.chain_id and o.to_address = lower(r.destination) and o.amount = r.amount
        and o.token_address is not distinct from lower(r.token_address)) alike`
  return rows.map(row => {
    const { noticedHash: txHash, looks, from, isReported, isMerchants, isOnlyFit, isOfAnother, isSigned } = row
    const { final_number, head_number, others_from, noticedHash: _, ...actor } = row
    return {
      ...{ refund: readRefund(actor), txHash, looks, from, isReported, isMerchants, isOnlyFit, isOfAnother, isSigned },
      begun: readBeginning({ final_number, head_number }),
      othersFrom: others_from === null ? null : Number(others_from),
    }
  })
}

type NoticedRow = Omit<Noticed, 'refund' | 'txHash' | 'begun' | 'othersFrom'> & {
  readonly noticedHash: string
  readonly others_from: string | null
}

/** The transaction is checked as if it were the refund's, although the refund cannot accept a transaction now. */
export const noticeReported = async (sql: Sql, { id, context }: Actor<Refund>, txHash: string): Promise<void> => {
  await sql`select notice_reported_transaction(${context.chainId}, ${txHash}, ${id})`
}

export const deleteNoticed = async (sql: Sql, { refund, txHash }: Noticed): Promise<void> => {
  await sql`
    delete from noticed_transfers
    where chain_id = ${refund.context.chainId} and tx_hash = ${txHash} and refund_id = ${refund.id}`
}
