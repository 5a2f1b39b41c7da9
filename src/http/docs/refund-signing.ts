import { paymentUriShape } from '../../records/shapes/payment-uri.ts'
import { refundShape } from '../../records/shapes/refund.ts'
import type { Docs } from '../openapi/docs.ts'

export const readPaymentUri: Docs = {
  operation: 'readRefundPaymentUri',
  summary: 'Read the link by which a refund can be paid',
  description:
    'For a wallet that is not in the browser, as long as the refund is to be signed by hand. The link carries no id of the refund: sent from your receiving address, the transfer is found where it fits one refund alone; otherwise name its hash.',
  answers: { 200: paymentUriShape },
  refusals: ['state_conflict'],
}

export const retryRefund: Docs = {
  operation: 'retryRefund',
  summary: 'Have a refund signed again',
  description:
    'One that has failed, or whose transaction no node knows, as when its hash was mistyped and nothing was ever sent (409 while the chain knows it, or a signer may send it again). It waits for a signature again, by hand or of a signer, if the payment still has the amount. Look first at what its transaction did: one that was mined may have moved money. Naming another transaction does the same in one step.',
  answers: { 200: refundShape },
  refusals: ['state_conflict', 'refund_exceeds_remaining'],
}

const aPage = 'The page. What it shows it asks for once somebody has signed in.'

export const refundsPage: Docs = {
  operation: 'visitRefunds',
  summary: 'Visit the page on which refunds are signed',
  description: 'For owners and developers of a merchant; viewers look on.',
  answers: { 200: aPage },
}

export const refundPage: Docs = {
  operation: 'visitRefund',
  summary: 'Visit the page on which one refund is signed',
  description: 'The same page, and the same for an id that is of no refund: whoever opens it has not signed in yet.',
  answers: { 200: aPage },
}
