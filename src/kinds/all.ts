import { type Kind, registered } from '../actors/kind.ts'
import type { Shape } from '../fields/shape.ts'
import type { MachineName, PublishedName } from '../resources.ts'
import { creditNoteKind } from './credit-note.ts'
import { creditNoteRecord } from './credit-note-record.ts'
import { customerKind } from './customer.ts'
import { customerRecord } from './customer-record.ts'
import { deliveryKind } from './delivery.ts'
import { disputeKind, disputeRecord } from './dispute.ts'
import { documentSeriesKind } from './document-series.ts'
import { invoiceKind } from './invoice.ts'
import { invoiceEventShape } from './invoice-record.ts'
import { paymentKind } from './payment.ts'
import { paymentLinkKind } from './payment-link.ts'
import { paymentRecord } from './payment-record.ts'
import { planKind } from './plan.ts'
import { refundKind } from './refund.ts'
import { refundRecord } from './refund-record.ts'
import { subscriptionKind } from './subscription.ts'
import { subscriptionRecord } from './subscription-record.ts'
import { testClockKind } from './test-clock.ts'

/** `record`: what the events of the kind contain. */
const byName: { readonly [Name in MachineName]: Name extends PublishedName ? Publishing : Silent } = {
  payment: { kind: registered(paymentKind), record: paymentRecord },
  refund: { kind: registered(refundKind), record: refundRecord },
  payment_link: { kind: registered(paymentLinkKind) },
  dispute: { kind: registered(disputeKind), record: disputeRecord },
  customer: { kind: registered(customerKind), record: customerRecord },
  invoice: { kind: registered(invoiceKind), record: invoiceEventShape },
  subscription: { kind: registered(subscriptionKind), record: subscriptionRecord },
  credit_note: { kind: registered(creditNoteKind), record: creditNoteRecord },
  plan: { kind: registered(planKind) },
  document_series: { kind: registered(documentSeriesKind) },
  test_clock: { kind: registered(testClockKind) },
  delivery: { kind: registered(deliveryKind) },
}

type Publishing = { readonly kind: Kind; readonly record: Shape }
type Silent = { readonly kind: Kind; readonly record?: never }

const all: readonly (Publishing | Silent)[] = Object.values(byName)

export const kindNamed = (name: MachineName): Kind => byName[name].kind

/** All kinds of actors. The core gets them at its start. */
export const kinds: readonly Kind[] = all.map(({ kind }) => kind)

export const publishedRecords: readonly Shape[] = all.flatMap(({ record }) => record ?? [])
