import { type } from 'arktype'
import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import { checksummedOrNull } from '../chain/checksum.ts'
import { example, exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { address, atomic, chainId, count, text, textOrNull, time, timeOrNull, txHash } from '../fields/wire.ts'
import { paymentRecord } from '../kinds/payment-record.ts'

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

type MerchantsAdditions = PaymentAdditions & {
  /** Of its invoice, if that has a number. */
  readonly invoiceNumber: string | null
}

type CustomersAdditions = PaymentAdditions & { readonly receiptUrl: string }

type Quoted = Payment & { readonly quoteRate: string }

const isQuoted = (payment: Payment): payment is Quoted => payment.quoteRate !== null

const quote = groupOf<Quoted>()({
  rate: {
    type: text,
    about: 'Value of one unit of the asset in the currency of the payment, as a decimal string.',
    example: '0.92592592',
    of: ({ quoteRate }) => quoteRate,
  },
  source: {
    type: textOrNull,
    about: 'Source of the exchange rate, such as a Chainlink feed.',
    example: 'chainlink EUR / USD',
    of: ({ quoteSource }) => quoteSource,
  },
  expiresAt: {
    type: timeOrNull,
    about:
      'Time at which the price expires; null if it does not expire. A transfer in a later block is late, even if the payment window is still open: it does not count towards the payment, and ends the window once it is final.',
    example: '2026-11-20T12:15:00.000Z',
    of: ({ quoteExpiresAt }) => quoteExpiresAt?.toISOString() ?? null,
  },
})

const transfer = groupOf<PaymentTransfer, { readonly head: number }>()({
  txHash: { type: () => txHash().or('null'), example: example.txHash, of: ({ txHash }) => txHash },
  logIndex: {
    type: () => count().or('null'),
    about: 'Index of the transfer log in its block. Null for native currency, which has no log.',
    example: 0,
    of: ({ logIndex }) => logIndex,
  },
  blockNumber: { type: count, example: 1042, of: ({ blockNumber }) => blockNumber },
  blockHash: {
    type: txHash,
    about: 'Hash of the block. If the transfer is `orphaned`, of the block that was removed.',
    example: example.blockHash,
    of: ({ blockHash }) => blockHash,
  },
  minedAt: {
    type: time,
    about: 'Time in the block, by the clock of the chain. ISO 8601 in UTC, with milliseconds.',
    example: '2026-11-20T12:02:10.000Z',
    of: ({ minedAt }) => minedAt.toISOString(),
  },
  from: {
    type: () => address().or('null'),
    about: 'Sender of the transfer. Null if the chain does not show it.',
    example: '0x27b1fdb04752bbc536007a920d24acb045561c26',
    of: ({ from }) => checksummedOrNull(from),
  },
  amount: { type: atomic, example: '52920000', of: ({ amount }) => String(amount) },
  confirmations: { type: count, example: 12, of: (transfer, { head }) => confirmationsOf(transfer, head) },
  state: {
    type: () => type("'seen' | 'final' | 'orphaned'"),
    about:
      '`seen`: in a block, not final yet. `final`: cannot be removed any more. `orphaned`: a reorganization removed it.',
    example: 'final',
    of: ({ state }) => state,
  },
})

const crypto = groupOf<Payment, CryptoFacts>()({
  chainId: { type: () => chainId().or('null'), example: 31337, of: ({ chainId }) => chainId },
  network: { type: text, example: 'Sandbox', of: (_, { network }) => network },
  asset: { type: textOrNull, example: 'TUSD', of: ({ asset }) => asset },
  tokenAddress: {
    type: () => address().or('null'),
    example: example.address,
    of: ({ tokenAddress }) => checksummedOrNull(tokenAddress),
  },
  decimals: { type: () => count().or('null'), example: 6, of: ({ decimals }) => decimals },
  address: {
    type: () => address().or('null'),
    about: 'Deposit address of this payment. It is used for no other payment.',
    example: '0xde709f2102306220921060314715629080e2fb77',
    of: ({ address }) => checksummedOrNull(address),
  },
  payerAddress: {
    type: () => address().or('null'),
    about:
      'Address that sent the transfer which completed the amount, or the latest transfer as long as none has. Null if there is no transfer, or the sender is not known.',
    example: '0x27b1fdb04752bbc536007a920d24acb045561c26',
    of: ({ payerAddress }) => checksummedOrNull(payerAddress),
  },
  txHash: { type: () => txHash().or('null'), example: example.txHash, of: (_, { txHash }) => txHash },
  blockNumber: { type: () => count().or('null'), example: 1042, of: ({ blockNumber }) => blockNumber },
  confirmations: {
    type: count,
    example: 12,
    of: (_, { transfers, head }) => {
      const counted = transfers.filter(({ state }) => state !== 'orphaned')
      return counted.length === 0 ? 0 : Math.min(...counted.map(transfer => confirmationsOf(transfer, head)))
    },
  },
  confirmationsRequired: {
    type: () => count().or('null'),
    about: 'Number of confirmations after which a transfer is final. Null until the customer has picked an asset.',
    example: 3,
    of: ({ confirmationsRequired }) => confirmationsRequired,
  },
  amountExpected: {
    type: () => atomic().or('null'),
    about:
      'Amount due, in atomic units of the asset, as a decimal string. Null until the customer has picked an asset.',
    example: '52920000',
    of: ({ amountExpected }) => (amountExpected === null ? null : String(amountExpected)),
  },
  amountReceived: {
    type: atomic,
    about: 'Amount received so far, final or not, in atomic units of the asset, as a decimal string.',
    example: '52920000',
    of: ({ amountReceived }) => String(amountReceived),
  },
  exception: {
    type: () => type("'underpaid' | 'overpaid' | 'late' | 'wrong_asset' | 'wrong_chain' | null"),
    about:
      'Problem with the received money: `underpaid`, `overpaid`, `late`, `wrong_asset` or `wrong_chain`. Null if there is none.',
    example: null,
    of: ({ exception }) => exception,
  },
  quote: {
    ...quote,
    type: () => quote.type().or('null'),
    about: 'Exchange rate at which the amount due was calculated. Null if the asset is at par with the currency.',
    of: payment => (isQuoted(payment) ? quote.render(payment) : null),
  },
  transfers: {
    inside: transfer.inside,
    type: () => transfer.type().array(),
    about:
      'Transfers of the asset to the address of the payment, including those that a reorganization removed. Only the 100 largest if there are more.',
    example: [transfer.example],
    of: (_, facts) => facts.transfers.map(each => transfer.render(each, facts)),
  },
  paymentUri: {
    type: text,
    about:
      'Payment link by EIP-681, for wallets and QR codes. After a partial payment it asks for the rest. It has no amount if transfers that do not count yet, or that came after the price had expired, already cover the amount due.',
    example:
      'ethereum:0x52908400098527886E0F7030069857D2E4169EE7@31337/transfer?address=0xde709f2102306220921060314715629080e2fb77&uint256=52920000',
    of: (_, { paymentUri }) => paymentUri,
  },
  explorerUrl: {
    type: textOrNull,
    about:
      'Page of a block explorer about the transaction, or about the address as long as there is no transaction. Null if no explorer is known for the chain.',
    example: null,
    of: (_, { explorerUrl }) => explorerUrl,
  },
})

// A node that lags may report a head below a block that another node has returned.
const confirmationsOf = ({ state, blockNumber }: PaymentTransfer, head: number): number =>
  state === 'orphaned' ? 0 : Math.max(0, head - blockNumber + 1)

const cryptoField = {
  ...crypto,
  type: () => crypto.type().or('null'),
  about: 'The payment on the chain. Null until the customer has picked an asset.',
  of: ({ context }: Actor<Payment>, { facts }: PaymentAdditions) => facts && crypto.render(context, facts),
}

const receiptUrlField = {
  about:
    'Page with the receipt, for your customer. Anyone with this link can read it. It exists as soon as the status is `success`. Null for viewers.',
  example: `https://pay.lamps.shop/receipts/${exampleId('payment')}?s=q3Rk-0VdS0aXJb5nTnqkqjHkqk0GLkE6bqzqY1fyQ2s`,
}

/** A payment as in responses. */
export const paymentReadRecord = recordOf<Actor<Payment>, MerchantsAdditions>()('PaymentWithCrypto', {
  ...paymentRecord.fields,
  invoiceNumber: {
    type: textOrNull,
    about: 'Number of the invoice that is paid. Null if the payment is not for an invoice, or the invoice is a draft.',
    example: null,
    of: (_, { invoiceNumber }) => invoiceNumber,
  },
  attention: {
    type: () => type('boolean'),
    about:
      'Whether the payment needs your attention: money was received that does not complete it, or more than was due. Resolve it with `POST /v1/merchants/:merchantId/payments/:id/resolve`, or refund the money.',
    example: false,
    of: ({ context }) => context.attention,
  },
  receiptUrl: { ...receiptUrlField, type: textOrNull, of: (_, { receiptUrl }) => receiptUrl },
  crypto: cryptoField,
})

const { reference: _, metadata: __, customerId: ___, invoiceId: ____, ...customersFields } = paymentRecord.fields

/** The payment for its customer, without the private fields of the merchant. */
export const checkoutPaymentRecord = recordOf<Actor<Payment>, CustomersAdditions>()('CheckoutPayment', {
  ...customersFields,
  status: { ...customersFields.status, about: 'Status of the payment. `success` is final.' },
  failureReason: {
    ...customersFields.failureReason,
    about: 'Reason for the failure. Null unless the status is `failed`.',
  },
  receiptUrl: { ...receiptUrlField, type: text, of: (_, { receiptUrl }) => receiptUrl },
  crypto: {
    ...cryptoField,
    inside: { ...crypto.inside, address: 'Deposit address of this payment. The customer sends the money to it.' },
  },
})
