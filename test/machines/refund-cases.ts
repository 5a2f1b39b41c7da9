import { type RefundOpening, refundMachine } from '../../machines/refund.ts'
import { largestMetadata, MAX_AMOUNT } from './largest.ts'
import type { Cases } from './table.ts'

export const refundOpening: RefundOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  apiVersion: '2026-11-20',
  paymentId: '0193a000-0000-7000-8000-000000000003',
  invoiceId: null,
  creditNoteId: null,
  amountMinor: 300,
  currency: 'USD',
  reason: 'requested_by_customer',
  metadata: {},
  chainId: 31337,
  asset: 'TUSD',
  tokenAddress: `0x${'a'.repeat(40)}`,
  amount: 3_000_000n,
}

const hash = (digit: number) => ({ txHash: `0x${String(digit).repeat(64)}` })

export const refunds: Cases = {
  machine: refundMachine,
  input: refundOpening,
  events: {
    'name destination': { type: 'destination_named', destination: `0x${'c'.repeat(40)}` },
    'send 1': { type: 'transaction_sent', ...hash(1) },
    'send 2': { type: 'transaction_sent', ...hash(2) },
    'replace by 1': { type: 'transaction_replaced', ...hash(1) },
    'replace by 2': { type: 'transaction_replaced', ...hash(2) },
    'replace 1 by 2': { type: 'transaction_replaced', ...hash(2), instead: hash(1).txHash },
    'replace 2 by 1': { type: 'transaction_replaced', ...hash(1), instead: hash(2).txHash },
    '1 verified': { type: 'transaction_verified', ...hash(1), confirmations: 3 },
    '2 verified': { type: 'transaction_verified', ...hash(2), confirmations: 3 },
    '1 reverted': { type: 'transaction_failed', ...hash(1), confirmations: 3, failureReason: 'reverted' },
    '1 verified with excess': { type: 'transaction_verified', ...hash(1), confirmations: 3, strayed: true },
    '1 too little': {
      ...{ type: 'transaction_failed', ...hash(1), confirmations: 3 },
      ...{ failureReason: 'amount_mismatch', strayed: true },
    },
    '1 unproven': {
      ...{ type: 'transaction_failed', ...hash(1), confirmations: 3 },
      ...{ failureReason: 'unproven', strayed: true },
    },
    '1 gone': { type: 'transaction_gone', ...hash(1) },
    '2 gone': { type: 'transaction_gone', ...hash(2) },
    '2 dropped': { type: 'transaction_failed', ...hash(2), confirmations: 0, failureReason: 'dropped' },
    'transfer 1': { type: 'stray_transfer_seen', ...hash(1) },
    'transfer 2': { type: 'stray_transfer_seen', ...hash(2) },
    retry: { type: 'retry' },
    cancel: { type: 'cancel' },
    dismiss: { type: 'dismiss' },
  },
  situations: {
    new: '',
    named: 'name destination',
    processing: 'name destination, send 1',
    replaced: 'name destination, send 1, replace by 2',
    processed: 'name destination, send 1, 1 verified',
    'paid twice': 'name destination, send 1, 1 verified, transfer 2',
    'paid too much': 'name destination, send 1, 1 verified with excess',
    failed: 'name destination, send 1, 1 reverted',
    'paid too little': 'name destination, send 1, 1 too little',
    'accepted after all': 'name destination, send 1, 1 too little, 1 verified',
    dismissed: 'name destination, send 1, 1 too little, dismiss',
    'paid after all': 'name destination, send 1, 1 reverted, transfer 2',
    dropped: 'name destination, send 2, 2 dropped',
    'dropped yet mined': 'name destination, send 2, 2 dropped, transfer 2',
    again: 'name destination, send 1, 1 reverted, retry',
    canceled: 'cancel',
    'canceled later': 'name destination, cancel',
    'paid although canceled': 'name destination, cancel, transfer 1',
  },
  minSteps: 50,
  walk: { minSteps: 400 },
  invalidRows: `
    named      | state = 'sent'                 | refunds_state
    new        | amount_minor = 0               | refunds_amount
    new        | amount = -1                    | refunds_amount
    new        | currency = 'dollar'            | refunds_currency
    new        | reason = 'because'             | refunds_reason
    new        | state = 'requires_signature'   | refunds_destination
    named      | state = 'requires_destination' | refunds_destination
    named      | destination = 'home'           | refunds_destination_form
    named      | state = 'processing'           | refunds_transaction
    processing | state = 'requires_signature'   | refunds_transaction
    processing | tx_hash = upper(tx_hash)       | refunds_tx_hash
    processed  | stray_tx_hash = 'x'            | refunds_tx_hash
    new        | confirmations = -1             | refunds_confirmations
    processed  | state = 'failed'               | refunds_failure
    failed     | state = 'processed'            | refunds_failure
    failed     | failure_reason = 'unlucky'     | refunds_failure_reason
    new        | attention = true               | refunds_stray
  `,
  duplicates: `
    processing | confirmations = 7              | chain_id = 1                                  | refunds_transaction_once
    processing | state = 'processed'            | state = 'failed', failure_reason = 'reverted' | refunds_transaction_once
    processed  | payment_id = gen_random_uuid() | tx_hash = overlay(tx_hash placing 'c' from 3) | refunds_transaction_once
  `,
  largest: {
    ...{ metadata: largestMetadata, amountMinor: MAX_AMOUNT, amount: 2n ** 256n - 1n, confirmations: MAX_AMOUNT },
  },
}
