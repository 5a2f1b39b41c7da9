import type { Sql } from '../../postgres/connect.ts'
import type { TransferLog } from '../chain-log.ts'
import { unlessUnanswered } from './chain-loops.ts'
import { recordAgreed } from './chain-state.ts'
import type { ChainSource } from './watched-chain.ts'

/** Blocks in one turn. */
const MAX_BLOCKS = 50

/**
 * Asks a second node for transfers that one node has reported, until they are final or orphaned. Payments count them
 * before that. What this records only decides whether a transfer that disappears had been there (see `lengthenWindow`).
 */
export const compareSeenTransfers = async (
  sql: Sql,
  chainId: number,
  source: Pick<ChainSource, 'agreedTransfersIn' | 'native'>,
): Promise<void> => {
  const seen = await findUnconfirmed(sql, chainId)
  const agreed: TransferLog[] = []
  for (const [blockHash, transfers] of Map.groupBy(seen, each => each.blockHash)) {
    const sent = transfers.filter(({ token }) => token === null)
    const logs = sent.length < transfers.length ? source.agreedTransfersIn(blockHash) : []
    const native = sent.length > 0 ? source.native.agreedSent(sent) : []
    const both = await unlessUnanswered(Promise.all([logs, native]))
    // A node that does not answer for one block does not answer for the others now.
    if (!both) break
    for (const found of both) agreed.push(...(found ?? []))
  }
  if (agreed.length > 0) await recordAgreed(sql, chainId, agreed)
}

const findUnconfirmed = async (sql: Sql, chainId: number): Promise<readonly TransferLog[]> => {
  const rows = await sql<Row[]>`
    with blocks as (
      select distinct block_number, block_hash from transfers
      where chain_id = ${chainId} and state = 'seen' and not agreed order by block_number limit ${MAX_BLOCKS})
    select t.tx_hash, t.log_index, t.block_number, t.block_hash, t.token_address, t.from_address, t.to_address, t.amount
    from blocks join transfers t
      on t.chain_id = ${chainId} and t.block_number = blocks.block_number and t.block_hash = blocks.block_hash
    where t.state = 'seen' and not t.agreed
    order by t.block_number`
  return rows.map(row => ({
    ...{ txHash: row.tx_hash, logIndex: row.log_index, blockNumber: Number(row.block_number) },
    ...{ blockHash: row.block_hash, token: row.token_address, from: row.from_address, to: row.to_address },
    amount: BigInt(row.amount),
  }))
}

type Row = {
  readonly tx_hash: string
  readonly log_index: number
  readonly block_number: string
  readonly block_hash: string
  readonly token_address: string | null
  readonly from_address: string | null
  readonly to_address: string
  readonly amount: string
}
