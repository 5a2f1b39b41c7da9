import type { Payment } from '../../machines/payment-events.ts'
import { checksummed } from '../chain/checksum.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { transferUri } from '../chain/transfer-uri.ts'
import type { PaymentTransfers } from '../queries/payments.ts'
import type { CryptoFacts, PaymentTransfer } from './payment.ts'

/** Log index of native currency that the transaction itself transferred: there is no log. */
const NATIVE = -1
/** Log index of native currency that a contract transferred: the balance grew, and its transaction is not known. */
export const FROM_CONTRACT = -2

/** What is recorded about a payment on its chain. Null until the customer has picked an asset. */
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
 * The current state of each transfer. A transfer is orphaned only if none of its blocks is part of the chain now, and
 * it is listed once even if several of its blocks were orphaned.
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
 * Asks for the missing amount after a partial payment. Transfers that do not count (not processed yet, or later than
 * the quote) are subtracted too, so that the customer does not pay twice. If nothing is missing then, the URI has no
 * amount.
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
