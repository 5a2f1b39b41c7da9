import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../actors/kind.ts'
import type { ActorRow } from '../../actors/rows.ts'
import { verdictOn } from '../../chain/refunds/verdict.ts'
import { findTransaction } from '../../chain/rpc/block.ts'
import { findReceipt, receiptCall } from '../../chain/rpc/receipt.ts'
import { type Rpc, type RpcAnswer, resultOf } from '../../chain/rpc/rpc.ts'
import { transactionCall } from '../../chain/watch/transactions.ts'
import { tokenTransferIn } from '../../chain/watch/transfer-log.ts'
import { refundKind } from '../../kinds/refund.ts'
import type { Sql } from '../../postgres/connect.ts'
import { readerOf } from '../../queries/actors.ts'
import { getAgreed } from './agreed.ts'
import type { Compared } from './compared.ts'

const REFUNDS_AT_ONCE = 100
const readRefund = readerOf(refundKind)

/** Without refunds that a contract has paid, or a member has decided: the transaction alone does not show these. */
export async function* findRefunds(sql: Sql, { chain, rpc, lostBefore }: Compared): AsyncGenerator<string> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const rows = await sql<ActorRow[]>`
      select r.*
      from refunds r
      where r.chain_id = ${chain.id} and r.state = 'processed' and r.id > ${after}
        and r.updated_at >= ${lostBefore ?? new Date(0)}
        and not exists (select from refund_rises p where p.refund_id = r.id)
        and not exists (select from refund_judgements j where j.refund_id = r.id)
      order by r.id
      limit ${REFUNDS_AT_ONCE}`
    const end = rows.at(-1)
    if (!end) return
    after = end.id
    const paid = await arePaid(rpc, rows.map(readRefund))
    for (const [at, { id }] of rows.entries()) if (!paid[at]) yield id
  }
}

const arePaid = (rpc: Rpc, refunds: readonly Actor<Refund>[]): Promise<readonly boolean[]> => {
  const hashes = refunds.map(({ context }) => context.txHash ?? '')
  const calls = hashes.flatMap(hash => [receiptCall(hash), transactionCall(hash)])
  return getAgreed(rpc, calls, answers =>
    refunds.map((refund, at) => isPaid(refund, hashes[at] ?? '', answers[2 * at], answers[2 * at + 1])),
  )
}

const isPaid = (refund: Actor<Refund>, hash: string, receipt: RpcAnswer, transaction: RpcAnswer): boolean => {
  const done = findReceipt(resultOf(receipt), hash)
  const sent = findTransaction(resultOf(transaction), hash)
  if (!done || !sent) return false
  const { blockNumber, status } = done
  const { from, to, value, input } = sent
  const transfers = done.logs.flatMap(log => tokenTransferIn(log) ?? [])
  const mined = { blockNumber, timestamp: 0, status, from, to, value, input, transfers }
  return verdictOn(mined, refund, { namesAnother: false }).failure === null
}
