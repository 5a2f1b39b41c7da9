import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import { checksummedOrNull } from '../chain/checksum.ts'
import { paymentRecord } from '../kinds/payment-record.ts'

/** The payment for its customer, without the private fields of the merchant. */
const customersRecord = (payment: Actor<Payment>) => {
  const { reference: _, metadata: __, ...record } = paymentRecord(payment)
  return record
}

/** Facts that are not in the row of the payment. */
export type CryptoFacts = {
  readonly network: string
  /** The latest block of the chain that was read. */
  readonly head: number
  /** Transaction of the transfer that completed the amount; null if it is not known. */
  readonly txHash: string | null
  readonly paymentUri: string
  readonly explorerUrl: string | null
  readonly transfers: readonly PaymentTransfer[]
}

export type PaymentTransfer = {
  readonly txHash: string | null
  readonly logIndex: number | null
  readonly blockNumber: number
  readonly blockHash: string
  readonly minedAt: Date
  readonly from: string | null
  readonly amount: bigint
  readonly state: 'seen' | 'final' | 'orphaned'
}

/** What a response adds to a payment. */
export type PaymentAdditions = {
  /** Null until the customer has picked an asset. */
  readonly facts: CryptoFacts | null
  /** Null for callers that may not see it. */
  readonly receiptUrl: string | null
}

export const paymentRead = (payment: Actor<Payment>, { facts, receiptUrl }: PaymentAdditions) => ({
  ...paymentRecord(payment),
  receiptUrl,
  crypto: facts && cryptoRecord(payment.context, facts),
})

/** The same for the customer. */
export const checkoutPayment = (payment: Actor<Payment>, { facts, receiptUrl }: PaymentAdditions) => ({
  ...customersRecord(payment),
  receiptUrl,
  crypto: facts && cryptoRecord(payment.context, facts),
})

const cryptoRecord = (payment: Payment, facts: CryptoFacts) => {
  const { network, head, txHash, paymentUri, explorerUrl, transfers } = facts
  const counted = transfers.filter(({ state }) => state !== 'orphaned')
  return {
    chainId: payment.chainId,
    network,
    asset: payment.asset,
    tokenAddress: checksummedOrNull(payment.tokenAddress),
    decimals: payment.decimals,
    address: checksummedOrNull(payment.address),
    payerAddress: checksummedOrNull(payment.payerAddress),
    txHash,
    blockNumber: payment.blockNumber,
    confirmations: counted.length === 0 ? 0 : Math.min(...counted.map(transfer => confirmationsOf(transfer, head))),
    confirmationsRequired: payment.confirmationsRequired,
    amountExpected: payment.amountExpected === null ? null : String(payment.amountExpected),
    amountReceived: String(payment.amountReceived),
    exception: payment.exception,
    quote: quoteRecord(payment),
    transfers: transfers.map(transfer => ({
      txHash: transfer.txHash,
      logIndex: transfer.logIndex,
      blockNumber: transfer.blockNumber,
      blockHash: transfer.blockHash,
      minedAt: transfer.minedAt.toISOString(),
      from: checksummedOrNull(transfer.from),
      amount: String(transfer.amount),
      confirmations: confirmationsOf(transfer, head),
      state: transfer.state,
    })),
    paymentUri,
    explorerUrl,
  }
}

const quoteRecord = ({ quoteRate: rate, quoteSource: source, quoteExpiresAt }: Payment) =>
  rate === null ? null : { rate, source, expiresAt: quoteExpiresAt?.toISOString() ?? null }

// A node that is behind may report a head below a block that another node has returned.
const confirmationsOf = ({ state, blockNumber }: PaymentTransfer, head: number): number =>
  state === 'orphaned' ? 0 : Math.max(0, head - blockNumber + 1)
