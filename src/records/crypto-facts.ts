import type { Payment } from '../../machines/payment-events.ts'
import { checksummed } from '../chain/checksum.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { transferUri } from '../chain/transfer-uri.ts'
import type { PaymentTransfers } from '../queries/payments.ts'
import type { CryptoFacts, PaymentTransfer } from './payment.ts'

/** Money that came with the transaction itself is told by no log. */
const NATIVE = -1
/** A contract sent it on: a balance has grown, and nobody said by which transaction. */
const FROM_CONTRACT = -2

/** What the books of its chain have of a payment, for people to read. Null until the customer has picked an asset. */
export const cryptoFactsOf = (
  payment: Payment,
  shown: PaymentTransfers | null,
  chains: Pick<Chains, 'find'>,
): CryptoFacts | null => {
  const { chainId } = payment
  if (chainId === null) return null
  const chain = chains.find(chainId)?.chain
  const rows = shown?.transfers ?? []
  const txHash = rows.some(row => row.tx_hash === payment.txHash && row.log_index === FROM_CONTRACT)
    ? null
    : payment.txHash
  return {
    network: chain?.network ?? `Chain ${chainId}`,
    head: shown?.head ?? 0,
    txHash,
    paymentUri: paymentUri(payment, chainId, rows),
    explorerUrl: chain?.explorerUrl ? `${chain.explorerUrl}/${pageOf(payment, txHash)}` : null,
    transfers: latest(rows).map(transferOf),
  }
}

type Row = PaymentTransfers['transfers'][number]

/**
 * Each transfer as it stands now. One whose block was dropped may have come back in another, and is not orphaned
 * then; dropped from two, it is told once.
 */
const latest = (rows: readonly Row[]): readonly Row[] => {
  const there = new Set(rows.filter(({ state }) => state !== 'orphaned').map(({ tx_hash }) => tx_hash))
  const last = new Map(rows.map(row => [`${row.tx_hash} ${row.log_index}`, row]))
  return rows.filter(
    row => row.state !== 'orphaned' || (!there.has(row.tx_hash) && last.get(`${row.tx_hash} ${row.log_index}`) === row),
  )
}

const transferOf = (row: Row): PaymentTransfer => ({
  txHash: row.log_index === FROM_CONTRACT ? null : row.tx_hash,
  logIndex: row.log_index === NATIVE || row.log_index === FROM_CONTRACT ? null : row.log_index,
  blockNumber: row.block_number,
  blockHash: row.block_hash,
  minedAt: new Date(row.mined_at),
  from: row.from_address,
  amount: BigInt(row.amount),
  state: row.state,
})

const pageOf = ({ address }: Payment, txHash: string | null): string =>
  txHash === null ? `address/${address && checksummed(address)}` : `tx/${txHash}`

/**
 * Whoever has sent too little is asked for the rest. What does not count, since it was not told yet or came after the price
 * was over, is not asked for again: no amount is named where that is enough.
 */
const paymentUri = (payment: Payment, chainId: number, rows: readonly Row[]): string => {
  const { address, tokenAddress, amountReceived } = payment
  const expected = payment.amountExpected ?? 0n
  const missing = expected - totalOf(rows)
  const rest = missing > 0n ? missing : null
  const amount = amountReceived >= expected ? expected : rest
  return transferUri({ chainId, tokenAddress, to: address ?? '', amount })
}

const totalOf = (rows: readonly Row[]): bigint =>
  rows.filter(({ state }) => state !== 'orphaned').reduce((sum, { amount }) => sum + BigInt(amount), 0n)
