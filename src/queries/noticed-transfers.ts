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
  /** It was signed to pay the refund, which has been told that it never can. */
  readonly isGivenUp: boolean
  /** From an address that the refund's merchant is paid at. */
  readonly isMerchants: boolean
  /** No other refund that waits to be signed would fit as well, be it of another merchant who is paid at this address. */
  readonly isOnlyFit: boolean
  /** A signer of ours has signed it, for another refund. */
  readonly isOfAnother: boolean
  /** The refund's own signer has signed what may still be mined, be it known to any node or not. */
  readonly isSigned: boolean
  /** Null where nothing is known that would be earlier than the refund. */
  readonly begun: Beginning | null
}

const readRefund = readerOf(refundKind)

/** Those whose next look is due, which is put off by this. */
export const claimNoticed = async (sql: Sql, chainId: number, most: number): Promise<readonly Noticed[]> => {
  const rows = await sql<
    (ActorRow & BeginningRow & Omit<Noticed, 'refund' | 'txHash' | 'begun'> & { readonly noticedHash: string })[]
  >`
    select r.*, n.tx_hash as "noticedHash", n.looks, n.from_address as "from", n.from_address is null as "isGivenUp",
      is_treasury_of(r, n.from_address) as "isMerchants",
      (select count(*) = 1 from refund_destinations o join refunds w on w.id = o.refund_id
        where o.chain_id = n.chain_id and o.to_address = lower(r.destination) and o.amount = r.amount
          and o.token_address is not distinct from lower(r.token_address)
          and w.state = 'requires_signature' and is_treasury_of(w, n.from_address)) as "isOnlyFit",
      exists (
        select from signed_transactions t join signer_nonces s using (signer_id, nonce)
        where t.chain_id = n.chain_id and t.tx_hash = n.tx_hash and s.refund_id is distinct from r.id) as "isOfAnother",
      exists (select from signer_nonces s where s.refund_id = r.id and s.state = 'open') as "isSigned",
      b.final_number, b.head_number
    from claim_noticed_transfers(${chainId}, ${most}) n join refunds r on r.id = n.refund_id
    left join lateral beginning_before(r, n.tx_hash) b on true`
  return rows.map(
    ({ noticedHash: txHash, looks, from, isGivenUp, isMerchants, isOnlyFit, isOfAnother, isSigned, ...row }) => ({
      ...{ refund: readRefund(row), txHash, looks, from, isGivenUp, isMerchants, isOnlyFit, isOfAnother, isSigned },
      begun: readBeginning(row),
    }),
  )
}

export const forgetNoticed = async (sql: Sql, { refund, txHash }: Noticed): Promise<void> => {
  await sql`
    delete from noticed_transfers
    where chain_id = ${refund.context.chainId} and tx_hash = ${txHash} and refund_id = ${refund.id}`
}
