import { paymentMachine } from '../../machines/payment.ts'
import type { AssetPick, PaymentEvent, PaymentOpening } from '../../machines/payment-events.ts'
import { largestMetadata, largestText, MAX_AMOUNT } from './largest.ts'
import { type Cases, minutes, T0 } from './table.ts'

export const paymentOpening: PaymentOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  apiVersion: '2026-11-20',
  paymentLinkId: '0193a000-0000-7000-8000-000000000002',
  customerId: null,
  invoiceId: null,
  amountMinor: 1000,
  currency: 'USD',
  customerEmail: 'ada@example.com',
  customerName: null,
  reference: 'order 7',
  metadata: { shelf: 'B' },
  toleranceBps: 0,
  latePolicy: 'accept_stablecoins',
}

// A token of two decimals, so that an atomic unit is a cent.
const dollars: AssetPick = {
  chainId: 31337,
  asset: 'TUSD',
  tokenAddress: `0x${'a'.repeat(40)}`,
  decimals: 2,
  address: `0x${'b'.repeat(40)}`,
  amountExpected: 1000n,
  confirmationsRequired: 3,
  pegged: true,
  quoteRate: null,
  quoteSource: null,
  quoteExpiresAt: null,
}
const ether: AssetPick = {
  ...dollars,
  asset: 'ETH',
  tokenAddress: null,
  pegged: false,
  quoteRate: '2500.00',
  quoteSource: 'chainlink',
  quoteExpiresAt: minutes(10),
}

type Type = PaymentEvent['type']
const of = { chainId: 31337, asset: 'TUSD', scan: 5 }
const inEther = { asset: 'ETH' }
const onAnotherChain = { chainId: 1 }
const inAnOlderScan = { scan: 4 }
const inBlock8 = { blockNumber: 8 }
const minedAt = (minute: number) => ({ minedAt: minutes(minute) })

export const hash = (digit: number) => `0x${String(digit).repeat(64)}`
const seen = (type: Type, amountReceived: bigint, more: object = {}) => {
  const some = amountReceived > 0n
  const transfer = { txHash: some ? hash(7) : null, blockNumber: some ? 7 : null, ...(some && minedAt(29)) }
  return { ...of, type, at: T0, amountReceived, payerAddress: null, hasLostAgreed: true, ...transfer, ...more }
}
const final = (type: Type, amountFinal: bigint, more: object = {}) => ({ ...of, type, at: T0, amountFinal, ...more })
export const refund = (type: Type, amountMinor: number) => ({ type, at: T0, amountMinor })

export const acceptedAsset = {
  ...{ ...dollars, asset: 'OUSD' },
  ...{ scan: 9, amountReceived: 700n, amountFinal: 700n, stray: null, finalStrays: 0 },
  ...{ payerAddress: null, txHash: null, blockNumber: 9 },
}

/** A payment of 1000 cents with a window of 30 minutes. */
export const payments: Cases = {
  machine: paymentMachine,
  input: { ...paymentOpening, windowMinutes: 30 },
  events: {
    pick: { type: 'asset_picked', ...dollars },
    'pick ether': { type: 'asset_picked', ...ether },
    'pick at the end': { type: 'asset_picked', ...dollars, at: minutes(30) },

    'see 1000': seen('enough_seen', 1000n),
    'see 1000 at the end': seen('enough_seen', 1000n, minedAt(30)),
    'see 1000 after the end': seen('enough_seen', 1000n, minedAt(31)),
    'see 1000 in ether': seen('enough_seen', 1000n, { ...inEther, ...minedAt(10) }),
    'see 1000 in ether too late for its price': seen('enough_seen', 1000n, { ...inEther, ...minedAt(11) }),
    'see only 400 in ether too late for its price': seen('too_little_seen', 400n, { ...inEther, ...minedAt(11) }),
    'see 1000 on another chain': seen('enough_seen', 1000n, onAnotherChain),
    'see 1000 in older scan': seen('enough_seen', 1000n, inAnOlderScan),
    'see 1200': seen('enough_seen', 1200n),
    'see 999 and call it enough': seen('enough_seen', 999n),
    'see only 400': seen('too_little_seen', 400n),
    'see only 400 in block 8': seen('too_little_seen', 400n, inBlock8),
    'see only 600': seen('too_little_seen', 600n),
    'see 600 by another transaction': seen('too_little_seen', 600n, { txHash: hash(6) }),
    'see only 600 after the end': seen('too_little_seen', 600n, minedAt(31)),
    'see 1000 and call it too little': seen('too_little_seen', 1000n),
    'see 300 left': seen('less_seen', 300n),
    'see 400 left in block 8': seen('less_seen', 400n, inBlock8),
    'see nothing left': seen('less_seen', 0n, { at: minutes(25) }),
    'lose all': seen('reorganized', 0n),
    'lose all in minute 25': seen('reorganized', 0n, { at: minutes(25) }),
    'lose all but 400': seen('reorganized', 400n),
    'lose nothing': seen('reorganized', 1000n, inBlock8),
    'now 1000': seen('amount_seen', 1000n),
    'now 1000 in ether': seen('amount_seen', 1000n, inEther),
    'now 1000 in block 8': seen('amount_seen', 1000n, inBlock8),
    'now 400 in block 8': seen('amount_seen', 400n, inBlock8),
    'now 600': seen('amount_seen', 600n),
    'now 1200': seen('amount_seen', 1200n),

    '400 final': final('amount_finalized', 400n),
    '600 final': final('amount_finalized', 600n),
    '1000 final': final('amount_finalized', 1000n),
    '1200 final': final('amount_finalized', 1200n),
    'all 400 final': final('finalized', 400n),
    'all 1000 final': final('finalized', 1000n),
    'all 1000 final in older scan': final('finalized', 1000n, inAnOlderScan),
    'all 1000 final in ether': final('finalized', 1000n, inEther),
    'accept late 400': final('late_accepted', 400n),
    'accept late 1000': final('late_accepted', 1000n),
    'accept late 1000 in ether': final('late_accepted', 1000n, inEther),
    'accept late 1200': final('late_accepted', 1200n),
    'late 400': final('late_finalized', 400n),
    'late 600': final('late_finalized', 600n),
    'late 1000': final('late_finalized', 1000n),
    'late 1200': final('late_finalized', 1200n),
    'late 1000 in ether': final('late_finalized', 1000n, inEther),

    'wrong asset': { type: 'stray_seen', stray: 'wrong_asset', finalStrays: 0 },
    'final on a wrong chain': { type: 'stray_seen', stray: 'wrong_chain', finalStrays: 1 },
    'stray gone': { type: 'stray_gone' },
    'collected unseen': { type: 'collection_unexplained' },
    'collection gone': { type: 'collection_gone' },
    'price missed': { type: 'price_missed' },
    reverted: { type: 'submission_failed', failureReason: 'reverted' },
    'scanned to the end': { type: 'window_over', scannedTo: minutes(30) },
    over: { type: 'window_over', scannedTo: minutes(31) },
    cancel: { type: 'cancel' },
    accept: { type: 'accept' },
    dismiss: { type: 'dismiss' },
    'end window': { type: 'end_window', at: minutes(3) },
    'reserve 0': refund('reserve_refund', 0),
    'reserve 1': refund('reserve_refund', 1),
    'reserve 300': refund('reserve_refund', 300),
    'reserve 1000': refund('reserve_refund', 1000),
    'release 300': refund('release_refund', 300),
    'refunded 300': refund('refund_processed', 300),
  },
  situations: {
    new: '',
    picked: 'pick',
    'picked ether': 'pick ether',
    little: 'pick, see only 400',
    'little final': 'pick, see only 400, 400 final',
    stray: 'pick, final on a wrong chain',
    processing: 'pick, see 1000',
    'part final': 'pick, see 1000, 400 final',
    success: 'pick, see 1000, all 1000 final',
    refunding: 'pick, see 1000, all 1000 final, reserve 300',
    refunded: 'pick, see 1000, all 1000 final, reserve 300, refunded 300',
    'accepted early': 'pick, see only 400, 400 final, see only 600, accept',
    'paid twice': 'pick, see 1000, all 1000 final, now 1200',
    expired: 'pick, over',
    'paid late': 'pick, over, now 1000',
    'paid ether late': 'pick ether, over, now 1000 in ether',
    late: 'pick, over, now 400 in block 8, late 400',
    failed: 'pick, reverted',
    underpaid: 'pick, see only 400, 400 final, over',
    canceled: 'pick, cancel',
    // Money that arrives after the payment has ended: the full amount, too much, of an asset without par, and too little.
    'failed paid': 'pick, reverted, now 1000',
    'canceled paid': 'pick, cancel, now 1000',
    'underpaid paid': 'pick, see only 400, 400 final, over, now 1000',
    'expired excess': 'pick, over, now 1200',
    'failed excess': 'pick, reverted, now 1200',
    'canceled excess': 'pick, cancel, now 1200',
    'underpaid excess': 'pick, see only 400, 400 final, over, now 1200',
    'failed ether': 'pick ether, reverted, now 1000 in ether',
    'canceled ether': 'pick ether, cancel, now 1000 in ether',
    'failed late': 'pick, reverted, now 400 in block 8, late 400',
    'canceled late': 'pick, cancel, now 400 in block 8, late 400',
    'underpaid late': 'pick, see only 400, 400 final, over, now 600, late 600',
    'refunding late': 'pick, over, now 400 in block 8, late 400, reserve 300',
    'refunding failed': 'pick, reverted, now 400 in block 8, late 400, reserve 300',
    'refunding canceled': 'pick, cancel, now 400 in block 8, late 400, reserve 300',
  },
  minSteps: 300,
  // Which asset is accepted depends on the received transfers, which the events above lack.
  walk: {
    minSteps: 1_000,
    events: [{ type: 'accept', at: T0, paidWith: acceptedAsset }],
    inputs: [{ ...paymentOpening, windowMinutes: 30, invoiceId: '0193a000-0000-7000-8000-000000000009' }],
  },
  invalidRows: `
    new          | state = 'paid'                                               | payments_state
    new          | amount_minor = 0                                             | payments_amount
    new          | amount_minor = 9007199254740992                              | payments_amount
    new          | currency = 'usd'                                             | payments_currency
    new          | customer_email = repeat('a', 255)                            | payments_customer
    new          | customer_name = repeat('a', 201)                             | payments_customer
    new          | reference = repeat('a', 201)                                 | payments_reference
    new          | tolerance_bps = 10000                                        | payments_tolerance
    new          | late_policy = 'whatever'                                     | payments_late_policy
    picked       | decimals = null                                              | payments_pick
    new          | token_address = '0x'                                         | payments_pick
    picked ether | quote_source = null                                          | payments_quote
    new          | quote_rate = '1', quote_source = 'x', quote_expires_at = now() | payments_quote
    picked       | amount_expected = 0                                          | payments_due
    picked       | address = 'bb'                                               | payments_address
    processing   | tx_hash = '0x7'                                              | payments_tx_hash
    new          | amount_received = 1                                          | payments_sums
    little       | amount_final = 401, received_minor = 401                     | payments_sums
    picked       | amount_received = -1                                         | payments_sums
    success      | received_minor = 999                                         | payments_received
    little       | state = 'processing'                                         | payments_enough
    new          | state = 'processing'                                         | payments_enough
    processing   | state = 'pending'                                            | payments_enough
    expired      | state = 'success'                                            | payments_success
    new          | state = 'failed'                                             | payments_failure
    failed       | state = 'expired'                                            | payments_failure
    failed       | failure_reason = 'unlucky'                                   | payments_failure_reason
    new          | stray = 'wrong_amount'                                       | payments_stray
    new          | final_strays = 1                                             | payments_stray
    new          | exception = 'odd'                                            | payments_exception
    success      | refunds_reserved_minor = 1001                                | payments_refunds
    success      | amount_refunded_minor = 1                                    | payments_refunds
    success      | refunds_reserved_minor = -1, amount_refunded_minor = -1      | payments_refunds
    part final   | refunds_reserved_minor = 1                                   | payments_refunds_when_over
  `,
  duplicates: `
    picked | address = '0x' || upper(substr(address, 3)) | address = overlay(address placing 'c' from 3) | payments_address_once
  `,
  largest: {
    ...{ metadata: largestMetadata, reference: largestText(200), customerName: largestText(200) },
    ...{ customerEmail: largestText(254), amountMinor: MAX_AMOUNT, amountRefundedMinor: MAX_AMOUNT },
  },
}
