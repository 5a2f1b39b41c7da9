import { findTransaction } from '../../chain/rpc/block.ts'
import { findReceipt, receiptCall } from '../../chain/rpc/receipt.ts'
import { type Rpc, type RpcAnswer, resultOf } from '../../chain/rpc/rpc.ts'
import { BY_BALANCE } from '../../chain/watch/native/explain.ts'
import { BY_TRANSACTION } from '../../chain/watch/native/transfer-source.ts'
import { transactionCall } from '../../chain/watch/transactions.ts'
import { tokenTransferIn } from '../../chain/watch/transfer-log.ts'
import type { Sql } from '../../postgres/connect.ts'
import { getAgreed } from './agreed.ts'
import type { Compared } from './compared.ts'

const TRANSFERS_AT_ONCE = 100

/** Without balance increases, which have no transaction: `findBalances` checks those. */
export async function* findTransfers(sql: Sql, { chain, rpc, lostBefore }: Compared): AsyncGenerator<string> {
  for (let last = { block_hash: '', tx_hash: '', log_index: 0 }; ; ) {
    const rows = await sql<TransferRow[]>`
      select block_hash, tx_hash, log_index, token_address, to_address, amount
      from transfers
      where chain_id = ${chain.id} and state = 'final' and log_index <> ${BY_BALANCE}
        and mined_at >= ${lostBefore ?? new Date(0)}
        and (block_hash, tx_hash, log_index) > (${last.block_hash}, ${last.tx_hash}, ${last.log_index})
      order by block_hash, tx_hash, log_index
      limit ${TRANSFERS_AT_ONCE}`
    const end = rows.at(-1)
    if (!end) return
    last = end
    const found = await areInTransactions(rpc, rows)
    for (const [at, row] of rows.entries()) if (!found[at]) yield row.tx_hash
  }
}

type TransferRow = {
  readonly block_hash: string
  readonly tx_hash: string
  readonly log_index: number
  readonly token_address: string | null
  readonly to_address: string
  readonly amount: string
}

const areInTransactions = (rpc: Rpc, rows: readonly TransferRow[]): Promise<readonly boolean[]> => {
  const calls = rows.flatMap(({ tx_hash }) => [receiptCall(tx_hash), transactionCall(tx_hash)])
  return getAgreed(rpc, calls, answers =>
    rows.map((row, at) => isInTransaction(row, answers[2 * at], answers[2 * at + 1])),
  )
}

const isInTransaction = (row: TransferRow, receipt: RpcAnswer, transaction: RpcAnswer): boolean => {
  const done = findReceipt(resultOf(receipt), row.tx_hash)
  if (done?.status !== 'success' || done.blockHash !== row.block_hash) return false
  if (row.log_index === BY_TRANSACTION) {
    const sent = findTransaction(resultOf(transaction), row.tx_hash)
    return row.token_address === null && sent?.to === row.to_address && sent.value === BigInt(row.amount)
  }
  const log = done.logs.find(({ logIndex }) => logIndex === row.log_index)
  const moved = log && tokenTransferIn(log)
  return moved?.token === row.token_address && moved.to === row.to_address && moved.amount === BigInt(row.amount)
}
