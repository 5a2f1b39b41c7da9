import type { Kind } from '../../actors/kind.ts'
import type { Keyring } from '../../keyring.ts'
import type { Check } from './check.ts'
import { creditBalance } from './credit-balance.ts'
import { creditedRefunds, creditNoteSettlement, invoiceCreditNotes } from './credit-notes.ts'
import { cursorBlock } from './cursor-block.ts'
import { customerTotals } from './customer-totals.ts'
import { depositDerivation } from './deposit-derivation.ts'
import { documentChain } from './document-chain.ts'
import { documentNumbers } from './document-numbers.ts'
import { droppedParts } from './dropped-parts.ts'
import { erasedCustomer } from './erased-customer.ts'
import { eventDigest } from './event-digest.ts'
import { eventMerchant } from './event-merchant.ts'
import { invoiceAmounts } from './invoice-amounts.ts'
import { allocatedMoney, invoicePayments, overpaidCredit } from './invoice-money.ts'
import { machineSums } from './machine-sums.ts'
import { paymentAddress } from './payment-address.ts'
import { paymentLink } from './payment-link.ts'
import { paymentSums } from './payment-sums.ts'
import { paymentTransfer } from './payment-transfer.ts'
import { refundKey } from './refund-key.ts'
import { refundPayment } from './refund-payment.ts'
import { rowHistory } from './row-history.ts'
import { periodBoundaries, periodInvoices, plannedTimers, unpaidInvoices, visitorsCredit } from './subscriptions.ts'
import { testClocks } from './test-clocks.ts'
import { transitionDigest } from './transition-digest.ts'

/** The rules that have their own files, if their kinds are registered. */
export const rulesOf = (kinds: readonly Kind[], keyring: Keyring | undefined): Check[] => {
  const has = (...names: readonly string[]) => names.every(name => kinds.some(kind => kind.name === name))
  return [
    transitionDigest,
    eventDigest,
    ...kinds.map(rowHistory),
    ...kinds.map(machineSums),
    ...kinds.flatMap(eventMerchant),
    ...(has('payment') ? [cursorBlock, paymentAddress, paymentTransfer] : []),
    ...(has('payment') && keyring ? [depositDerivation(keyring)] : []),
    ...(has('payment', 'payment_link') ? [paymentLink] : []),
    ...(has('delivery') ? droppedParts : []),
    ...(has('payment', 'refund') ? [refundPayment] : []),
    ...(has('refund', 'credit_note') ? [refundKey] : []),
    ...(has('invoice', 'credit_note', 'document_series', 'customer')
      ? [documentNumbers, documentChain, invoiceAmounts]
      : []),
    ...(has('payment', 'invoice', 'subscription', 'customer')
      ? [periodInvoices, unpaidInvoices, periodBoundaries, plannedTimers, visitorsCredit]
      : []),
    ...(has('test_clock', 'credit_note', 'invoice', 'customer') ? [testClocks] : []),
    ...(has('payment', 'refund', 'customer') ? [customerTotals, paymentSums, creditBalance, erasedCustomer] : []),
    ...(has('payment', 'refund', 'invoice') ? [allocatedMoney, invoicePayments, overpaidCredit] : []),
    ...(has('refund', 'invoice', 'credit_note') ? [invoiceCreditNotes, creditNoteSettlement, creditedRefunds] : []),
  ]
}
