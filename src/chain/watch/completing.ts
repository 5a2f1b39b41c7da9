import type { Sql } from '../../postgres/connect.ts'
import { BY_BALANCE } from './native/explain.ts'
import type { FindCompleting, TransferSender } from './sums.ts'

export type SenderRow = { readonly tx_hash: string; readonly log_index: number; readonly from_address: string | null }

export const readSender = ({ tx_hash, log_index, from_address }: SenderRow): TransferSender => ({
  txHash: log_index === BY_BALANCE ? null : tx_hash,
  logIndex: log_index,
  from: from_address,
})

/**
 * Finds the completing transfer among those of one block. Most blocks have one transfer, which the sum already names.
 */
export const findCompleting =
  (sql: Sql, paymentId: string): FindCompleting =>
  async ({ chainId, blockNumber, blockHash, token }, amount) => {
    const [row] = await sql<SenderRow[]>`
      select tx_hash, log_index, from_address
      from (
        select *, sum(amount) over (order by log_index, tx_hash) as reached
        from (
          select * from transfers where payment_id = ${paymentId} and block_number = ${blockNumber} offset 0) t
        where chain_id = ${chainId} and block_hash = ${blockHash} and token_address is not distinct from ${token}
          and state <> 'orphaned') t
      where reached >= ${String(amount)}::text::numeric
      order by log_index, tx_hash limit 1`
    return row && readSender(row)
  }
