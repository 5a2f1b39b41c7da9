import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Sql } from '../postgres/connect.ts'

/** What a payment's deposit addresses have received in one asset on one chain. */
export type AssetReceived = {
  readonly chainId: number
  /** Null: the chain's native currency. */
  readonly tokenAddress: string | null
  readonly amountReceived: bigint
  readonly amountFinal: bigint
  readonly finalTransfers: number
  /** The deposit address of the last transfer. */
  readonly address: string
  readonly payerAddress: string | null
  readonly txHash: string
  readonly blockNumber: number
  /** The step of the chain cursor at which the sums were read. */
  readonly scan: number
}

/** One row per asset, ordered by the time of its first final transfer. */
export const findReceived = async (
  sql: Sql,
  { id, context: { livemode } }: Pick<Actor<Pick<Payment, 'livemode'>>, 'id' | 'context'>,
): Promise<readonly AssetReceived[]> => {
  const rows = await sql<Row[]>`
    with received as (
      select t.chain_id, t.token_address, c.step,
        -- No more than a column holds, as in src/chain/watch/sums.ts.
        least(sum(t.amount), repeat('9', 78)::numeric) as received,
        least(sum(t.amount) filter (where t.state = 'final'), repeat('9', 78)::numeric) as final,
        count(*) filter (where t.state = 'final') as finals,
        min(t.mined_at) filter (where t.state = 'final') as first_at,
        (array_agg(json_build_object('address', t.to_address, 'payer', t.from_address, 'hash', t.tx_hash,
          'block', t.block_number) order by t.block_number desc, t.log_index desc))[1] as last
      from transfers_of(${id}) t join chain_cursors c using (chain_id)
      where t.state <> 'orphaned' and not (${livemode} and not coalesce(c.livemode, true))
      group by t.chain_id, t.token_address, c.step)
    select * from received order by first_at nulls last, chain_id, token_address nulls first`
  return rows.map(row => ({
    ...{ chainId: Number(row.chain_id), tokenAddress: row.token_address, scan: Number(row.step) },
    ...{ amountReceived: BigInt(row.received), amountFinal: BigInt(row.final ?? 0) },
    finalTransfers: Number(row.finals),
    ...{ address: row.last.address, payerAddress: row.last.payer, txHash: row.last.hash, blockNumber: row.last.block },
  }))
}

type Row = {
  readonly chain_id: string
  readonly token_address: string | null
  readonly step: string
  readonly received: string
  readonly final: string | null
  readonly finals: string
  readonly last: {
    readonly address: string
    readonly payer: string | null
    readonly hash: string
    readonly block: number
  }
}
