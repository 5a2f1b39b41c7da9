import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { refundKind } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { type Beginning, type BeginningRow, readBeginning } from './refund-transactions.ts'

/** A transfer of a refund's amount of its asset to its destination, which may be the refund's. */
export type Noticed = {
  readonly refund: Actor<Refund>
  readonly txHash: string
  readonly looks: number
  /** As one node alone has said. */
  readonly from: string | null
  /** Somebody has said that it pays the refund, which has given it up since, or could not take it. */
  readonly isTold: boolean
  /** From an address that the refund's merchant is paid at. */
  readonly isMerchants: boolean
  /** No other refund that waits to be signed would fit as well, be it of another merchant who is paid at this address. */
  readonly isOnlyFit: boolean
  /** Above this block it may be for another refund, which still waits for its money; null where none would fit as well. */
  readonly othersFrom: number | null
  /** Another refund that would fit as well is paid with it, or a signer of ours has signed it for another one. */
  readonly isOfAnother: boolean
  /** The refund's own signer has signed what may still be mined, be it known to any node or not. */
  readonly isSigned: boolean
  /** Null where nothing is known that would be earlier than the refund. */
  readonly begun: Beginning | null
}

const readRefund = readerOf(refundKind)

/** Those whose next look is due, which is put off by this. */
export const claimNoticed = async (sql: Sql, chainId: number, most: number): Promise<readonly Noticed[]> => {
  const rows = await sql<(ActorRow & BeginningRow & Told)[]>`
    select r.*, n.tx_hash as "noticedHash", n.looks, n.from_address as "from", n.from_address is null as "isTold",
      b.final_number, b.head_number, is_treasury_of(r, n.from_address) as "isMerchants",
      alike.waiting = 1 as "isOnlyFit", alike.others_from,
      alike.has_it or exists (
        select from signed_transactions t join signer_nonces s using (signer_id, nonce)
        where t.chain_id = n.chain_id and t.tx_hash = n.tx_hash and s.refund_id is distinct from r.id) as "isOfAnother",
      exists (select from signer_nonces s where s.refund_id = r.id and s.state = 'open') as "isSigned"
    from claim_noticed_transfers(${chainId}, ${most}) n join refunds r on r.id = n.refund_id
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
    const { noticedHash: txHash, looks, from, isTold, isMerchants, isOnlyFit, isOfAnother, isSigned } = row
    const { final_number, head_number, others_from, noticedHash: _, ...actor } = row
    return {
      ...{ refund: readRefund(actor), txHash, looks, from, isTold, isMerchants, isOnlyFit, isOfAnother, isSigned },
      begun: readBeginning({ final_number, head_number }),
      othersFrom: others_from === null ? null : Number(others_from),
    }
  })
}

type Told = Omit<Noticed, 'refund' | 'txHash' | 'begun' | 'othersFrom'> & {
  readonly noticedHash: string
  readonly others_from: string | null
}

/** Looked at as if it were the refund's, which takes no transaction. */
export const noticeTold = async (sql: Sql, { id, context }: Actor<Refund>, txHash: string): Promise<void> => {
  await sql`select notice_reported_transaction(${context.chainId}, ${txHash}, ${id})`
}

export const forgetNoticed = async (sql: Sql, { refund, txHash }: Noticed): Promise<void> => {
  await sql`
    delete from noticed_transfers
    where chain_id = ${refund.context.chainId} and tx_hash = ${txHash} and refund_id = ${refund.id}`
}
