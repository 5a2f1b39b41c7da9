import { describe, expect, test } from 'bun:test'
import type { Invoice } from '../../machines/invoice-events.ts'
import { processingMinor } from '../../machines/invoice-rules.ts'
import { firstNote, invoiceIssue, invoices, secondNote } from './invoice-cases.ts'
import { arrive, creation, differences, minutes, shortestPaths, step } from './table.ts'

const { number, seriesId, seller, customer, partySalt, partyHash, documentHash, reminders } = invoiceIssue

/** What finalization adds to a draft, in the order of its fields. */
const frozen =
  `dueDate=2026-11-21 number=${number} seriesId=${seriesId} sequence=1 issuedAt=+0m issueDate=2026-11-20 dueAt=+1440m ` +
  `seller=${JSON.stringify(seller)} customer=${JSON.stringify(customer)} partySalt=${partySalt} partyHash=${partyHash} ` +
  `documentHash=${documentHash} reminders=${JSON.stringify(reminders)} retainedUntil=+14400m`

const token = (digit: string) => `tokenHash=${digit.repeat(64)} sealedToken=sealed ${digit}`

const at = minutes(0).toISOString()
type Allocated = readonly [
  ...(readonly [payment: number, amountMinor: number, overpaidMinor: number]),
  takenBackMinor?: number,
  refundedMinor?: number,
  creditedMinor?: number,
  noteRefundsMinor?: number,
]
const allocated = (...parts: readonly Allocated[]) => {
  const allocations = parts.map(
    ([
      payment,
      amountMinor,
      overpaidMinor,
      takenBackMinor = 0,
      refundedMinor = 0,
      creditedMinor = 0,
      noteRefundsMinor = 0,
    ]) => ({
      ...{
        paymentId: `payment ${payment}`,
        amountMinor,
        overpaidMinor,
        takenBackMinor,
        excessMinor: 0,
        refundedMinor,
        creditedMinor,
        noteRefundsMinor,
        noteCreditMinor: 0,
        refundedFirstMinor: 0,
        at,
      },
    }),
  )
  return `allocations=${JSON.stringify(allocations)}`
}

const notes = (...ids: readonly string[]) => `creditNoteIds=${JSON.stringify(ids)}`
const noted = notes(firstNote)
const notedAgain = notes(firstNote, firstNote)
const isOfCreditNotes = (event: string) => event.startsWith('credit ')
const isAfterCreditNotes = (situation: string) => situation.startsWith('credited')

const reminded = `reminders=${JSON.stringify(reminders.map((each, n) => (n === 0 ? { ...each, sentAt: at } : each)))}`

describe('a draft that can be paid', () => {
  const page = { paymentLinkId: invoiceIssue.paymentLinkId ?? '', tokenHash: 'b'.repeat(64), sealedToken: 'sealed b' }

  test('cannot be changed, and is deleted without its address when its subscription ends', () => {
    const payable = {
      ...invoices,
      input: { ...invoices.input, page },
      situations: { draft: '', discarded: 'discard' },
    }
    const table = `
      draft | discard                  | deleted |                                        | lines=[] taxes=[] subtotalMinor=0 totalMinor=0 reference=null paymentLinkId=null tokenHash=null sealedToken=null
      draft | finalize                 | open    | invoice.finalized +dueDate +reminder   | ${frozen}
      draft | finalize with credit     | open    | invoice.finalized +dueDate +reminder   | ${frozen} creditAppliedMinor=300
      draft | finalize with all credit | paid    | invoice.finalized invoice.paid         | ${frozen} creditAppliedMinor=1000 paymentLinkId=null paidAt=+0m
    `
    expect(differences(payable, table, situation => situation === 'draft')).toEqual([])
    expect(arrive(payable, 'discard').can({ type: 'discard' })).toBe(false)
  })
})

describe('invoice', () => {
  test('a new invoice is a draft', () => {
    expect(creation(invoices)).toEqual({ to: 'draft', effects: '!joinCustomer invoice.created', changes: '' })
  })

  test('every event has the listed outcome in every situation, and is refused where none is listed', () => {
    expect(
      differences(
        invoices,
        `
      A draft can be changed until it is finalized or deleted.
      draft                                          | update                   | stays         | !joinCustomer                                            | reference=order 8
      draft                                          | delete                   | deleted       |                                                          | lines=[] taxes=[] subtotalMinor=0 totalMinor=0 reference=null
      draft                                          | finalize                 | open          | invoice.finalized +dueDate +reminder                     | ${frozen} paymentLinkId=${invoiceIssue.paymentLinkId} ${token('b')}
      draft                                          | finalize with credit     | open          | invoice.finalized +dueDate +reminder                     | ${frozen} creditAppliedMinor=300 paymentLinkId=${invoiceIssue.paymentLinkId} ${token('b')}
      draft                                          | finalize with all credit | paid          | invoice.finalized invoice.paid                           | ${frozen} creditAppliedMinor=1000 ${token('b')} paidAt=+0m

      Its times are those of two timers. What they cause waits until the chain has been read as far, and no money is processing.
      open, with credit, reminded, requested         | after dueDate            | stays         | -dueDate -reminder +dueDate +reminder                    | duePassed=true
      processing, partial                            | after dueDate            | stays         | -dueDate -reminder +dueDate +reminder                    | duePassed=true
      open, with credit, due, overdue, requested     | after reminder           | stays         | -dueDate -reminder +dueDate +reminder                    | remindersPassed=1
      processing, partial                            | after reminder           | stays         | -dueDate -reminder +dueDate +reminder                    | remindersPassed=1
      open, with credit, due, reminded, requested    | read past due date       | stays         | invoice.overdue                                          | overdue=true
      partial                                        | read past due date       | stays         | invoice.overdue                                          | overdue=true
      open, with credit, due, overdue, requested     | read past reminder       | stays         | invoice.reminder                                         | ${reminded} remindedOffset=-1
      partial                                        | read past reminder       | stays         | invoice.reminder                                         | ${reminded} remindedOffset=-1
      due, overdue                                   | after dueDate            | stays         | -dueDate -reminder +dueDate +reminder                    |
      reminded                                       | after reminder           | stays         | -dueDate -reminder +dueDate +reminder                    | remindersPassed=2

      Reminders can be requested once an hour.
      open, with credit, due, overdue, processing    | remind                   | stays         | invoice.reminder                                         | remindedAt=+0m
      partial                                        | remind                   | stays         | invoice.reminder                                         | remindedAt=+0m
      open, with credit, due, overdue, processing    | remind after 59 minutes  | stays         | invoice.reminder                                         | remindedAt=+59m
      partial                                        | remind after 59 minutes  | stays         | invoice.reminder                                         | remindedAt=+59m
      open, with credit, due, overdue, requested     | remind after an hour     | stays         | invoice.reminder                                         | remindedAt=+60m
      processing, partial                            | remind after an hour     | stays         | invoice.reminder                                         | remindedAt=+60m
      reminded                                       | remind                   | stays         | invoice.reminder                                         | remindedOffset=null remindedAt=+0m
      reminded                                       | remind after 59 minutes  | stays         | invoice.reminder                                         | remindedOffset=null remindedAt=+59m
      reminded                                       | remind after an hour     | stays         | invoice.reminder                                         | remindedOffset=null remindedAt=+60m

      Money that is processing is counted in every state.
      open, with credit, due, overdue, reminded      | processing 400           | stays         |                                                          | amountProcessingMinor=400
      requested, partial, uncollectible, nothing due | processing 400           | stays         |                                                          | amountProcessingMinor=400
      paid, overpaid, refunding, void                | processing 400           | stays         |                                                          | amountProcessingMinor=400
      processing                                     | processing 400           | stays         |                                                          | amountProcessingMinor=800
      processing                                     | reverted 400             | stays         |                                                          | amountProcessingMinor=0

      Payments of a draft that could be paid may bring money after it was deleted.
      deleted                                        | processing 400           | stays         |                                                          | amountProcessingMinor=400
      deleted                                        | 400 counts               | stays         |                                                          | amountOverpaidMinor=400 ${allocated([1, 0, 400])}
      deleted                                        | 1000 counts              | stays         |                                                          | amountOverpaidMinor=1000 ${allocated([1, 0, 1000])}
      deleted                                        | 1100 counts              | stays         |                                                          | amountOverpaidMinor=1100 ${allocated([1, 0, 1100])}
      deleted                                        | 600 of another           | stays         |                                                          | amountOverpaidMinor=600 ${allocated([2, 0, 600])}
      deleted                                        | refund 100               | stays         |                                                          |
      deleted                                        | refund 300 with credit 40 | stays        |                                                          |
      deleted                                        | refund 1100 with credit 40 | stays       |                                                          |
      deleted                                        | give up refund           | stays         |                                                          |
      deleted                                        | refunded 100             | stays         |                                                          | amountRefundedMinor=100

      Money pays what is due, and the rest is overpaid. What one payment has paid is counted once.
      open, with credit, due, overdue, reminded      | 400 counts               | stays         | invoice.payment_received                                 | amountPaidMinor=400 ${allocated([1, 400, 0])}
      requested, uncollectible                       | 400 counts               | stays         | invoice.payment_received                                 | amountPaidMinor=400 ${allocated([1, 400, 0])}
      open, due, reminded, requested, processing     | 1000 counts              | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=1000 ${allocated([1, 1000, 0])} paidAt=+0m
      partial                                        | 1000 counts              | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=1000 ${allocated([1, 1000, 0])} paidAt=+0m
      open, due, reminded, requested, processing     | 1100 counts              | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=1000 amountOverpaidMinor=100 ${allocated([1, 1000, 100])} paidAt=+0m
      partial                                        | 1100 counts              | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=1000 amountOverpaidMinor=100 ${allocated([1, 1000, 100])} paidAt=+0m
      open, with credit, due, overdue, reminded      | 600 of another           | stays         | invoice.payment_received                                 | amountPaidMinor=600 ${allocated([2, 600, 0])}
      requested, processing, uncollectible           | 600 of another           | stays         | invoice.payment_received                                 | amountPaidMinor=600 ${allocated([2, 600, 0])}
      with credit                                    | 1000 counts              | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=700 amountOverpaidMinor=300 ${allocated([1, 700, 300])} paidAt=+0m
      with credit                                    | 1100 counts              | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=700 amountOverpaidMinor=400 ${allocated([1, 700, 400])} paidAt=+0m
      overdue                                        | 1000 counts              | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=1000 ${allocated([1, 1000, 0])} overdue=false paidAt=+0m
      overdue                                        | 1100 counts              | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=1000 amountOverpaidMinor=100 ${allocated([1, 1000, 100])} overdue=false paidAt=+0m
      processing                                     | 400 counts               | stays         | invoice.payment_received                                 | amountPaidMinor=400 amountProcessingMinor=0 ${allocated([1, 400, 0])}
      partial, paid, overpaid, refunding             | 400 counts               | stays         |                                                          |
      partial                                        | 600 of another           | paid          | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=1000 ${allocated([1, 400, 0], [2, 600, 0])} paidAt=+0m
      uncollectible                                  | 1000 counts              | paid          | invoice.payment_received invoice.paid !renewSubscription !cancelPayments                    | amountPaidMinor=1000 ${allocated([1, 1000, 0])} paidAt=+0m
      uncollectible                                  | 1100 counts              | paid          | invoice.payment_received invoice.paid !renewSubscription !cancelPayments                    | amountPaidMinor=1000 amountOverpaidMinor=100 ${allocated([1, 1000, 100])} paidAt=+0m
      nothing due                                    | 400 counts               | stays         | invoice.payment_received                                 | amountOverpaidMinor=400 ${allocated([1, 0, 400])}
      nothing due                                    | 1000 counts              | stays         | invoice.payment_received                                 | amountOverpaidMinor=1000 ${allocated([1, 0, 1000])}
      nothing due                                    | 1100 counts              | stays         | invoice.payment_received                                 | amountOverpaidMinor=1100 ${allocated([1, 0, 1100])}
      nothing due                                    | 600 of another           | stays         | invoice.payment_received                                 | amountOverpaidMinor=600 ${allocated([2, 0, 600])}
      paid                                           | 1000 counts              | stays         | invoice.payment_received                                 | amountOverpaidMinor=600 ${allocated([2, 600, 0], [1, 400, 600])}
      paid                                           | 1100 counts              | stays         | invoice.payment_received                                 | amountOverpaidMinor=700 ${allocated([2, 600, 0], [1, 400, 700])}
      paid                                           | 600 of another           | stays         |                                                          |
      overpaid, refunding                            | 1000 counts              | stays         |                                                          |
      overpaid, refunding                            | 1100 counts              | stays         |                                                          |
      overpaid                                       | 600 of another           | stays         | invoice.payment_received                                 | amountOverpaidMinor=700 ${allocated([1, 1000, 100], [2, 0, 600])}
      refunding                                      | 600 of another           | stays         | invoice.payment_received                                 | amountOverpaidMinor=700 ${allocated([1, 1000, 100, 100], [2, 0, 600])}
      void                                           | 400 counts               | stays         |                                                          | amountOverpaidMinor=400 ${allocated([1, 0, 400])}
      void                                           | 1000 counts              | stays         |                                                          | amountOverpaidMinor=1000 ${allocated([1, 0, 1000])}
      void                                           | 1100 counts              | stays         |                                                          | amountOverpaidMinor=1100 ${allocated([1, 0, 1100])}
      void                                           | 600 of another           | stays         |                                                          | amountOverpaidMinor=600 ${allocated([2, 0, 600])}

      Refunds take back the credit of their payment first. What it paid is refunded without a credit note.
      open, with credit, due, overdue, reminded      | refund 100               | stays         |                                                          |
      requested, processing, uncollectible           | refund 100               | stays         |                                                          |
      nothing due, void                              | refund 100               | stays         |                                                          |
      partial, paid                                  | refund 100               | stays         |                                                          |
      open, with credit, due, overdue, reminded      | refund 300 with credit 40 | stays         |                                                          |
      requested, processing, uncollectible           | refund 300 with credit 40 | stays         |                                                          |
      nothing due, void                              | refund 300 with credit 40 | stays         |                                                          |
      partial, paid                                  | refund 300 with credit 40 | stays         |                                                          |
      open, with credit, due, overdue, reminded      | refund 1100 with credit 40 | stays         |                                                          |
      requested, processing, uncollectible           | refund 1100 with credit 40 | stays         |                                                          |
      nothing due, void                              | refund 1100 with credit 40 | stays         |                                                          |
      partial, paid                                  | refund 1100 with credit 40 | stays         |                                                          |
      open, with credit, due, overdue, reminded      | give up refund           | stays         |                                                          |
      requested, processing, uncollectible           | give up refund           | stays         |                                                          |
      nothing due, void                              | give up refund           | stays         |                                                          |
      partial, paid                                  | give up refund           | stays         |                                                          |
      overpaid                                       | refund 100               | stays         |                                                          | ${allocated([1, 1000, 100, 100])}
      refunding                                      | refund 100               | stays         |                                                          |
      overpaid                                       | refund 300 with credit 40 | stays         |                                                          | ${allocated([1, 1000, 100, 40])}
      refunding                                      | refund 300 with credit 40 | stays         |                                                          |
      refunding                                      | refund 1100 with credit 40 | stays         |                                                          |
      overpaid                                       | give up refund           | stays         |                                                          |
      refunding                                      | give up refund           | stays         |                                                          | ${allocated([1, 1000, 100])}
      open, with credit, due, overdue, reminded      | refunded 100             | stays         |                                                          | amountRefundedMinor=100
      requested, processing, uncollectible           | refunded 100             | stays         |                                                          | amountRefundedMinor=100
      nothing due, void                              | refunded 100             | stays         |                                                          | amountRefundedMinor=100
      partial                                        | refunded 100             | stays         |                                                          | amountRefundedMinor=100 uncreditedRefundsMinor=100 ${allocated([1, 400, 0, 0, 100])}
      paid                                           | refunded 100             | stays         |                                                          | amountRefundedMinor=100 uncreditedRefundsMinor=100 ${allocated([1, 400, 0, 0, 100], [2, 600, 0])}
      overpaid                                       | refunded 100             | stays         |                                                          | amountRefundedMinor=100 uncreditedRefundsMinor=100 ${allocated([1, 1000, 100, 0, 100])}
      refunding                                      | refunded 100             | stays         |                                                          | amountRefundedMinor=100 ${allocated([1, 1000, 100, 100, 100])}

      Without money it can be voided.
      open, due, reminded, requested                 | void                     | void          | -dueDate -reminder invoice.voided !cancelPayments                        | retainedUntil=+14401m creditNotesMinor=1000 ${notes(secondNote)} voidedAt=+0m voidReason=a mistake
      with credit                                    | void                     | void          | -dueDate -reminder invoice.voided !cancelPayments                        | retainedUntil=+14401m creditAppliedMinor=0 creditNotesMinor=1000 ${notes(secondNote)} voidedAt=+0m voidReason=a mistake
      overdue                                        | void                     | void          | -dueDate -reminder invoice.voided !cancelPayments                        | retainedUntil=+14401m creditNotesMinor=1000 ${notes(secondNote)} overdue=false voidedAt=+0m voidReason=a mistake
      uncollectible                                  | void                     | void          | invoice.voided !cancelPayments                                           | retainedUntil=+14401m creditNotesMinor=1000 ${notes(secondNote)} voidedAt=+0m voidReason=a mistake

      Its page can get a new address.
      open, with credit, due, overdue, reminded      | rotate url               | stays         |                                                          | ${token('c')}
      requested, processing, partial, uncollectible  | rotate url               | stays         |                                                          | ${token('c')}
      nothing due, paid, overpaid, refunding         | rotate url               | stays         |                                                          | ${token('c')}

      It can be given up.
      open, with credit, due, reminded, requested    | mark uncollectible       | uncollectible | -dueDate -reminder invoice.uncollectible                 |
      processing, partial                            | mark uncollectible       | uncollectible | -dueDate -reminder invoice.uncollectible                 |
      overdue                                        | mark uncollectible       | uncollectible | -dueDate -reminder invoice.uncollectible                 | overdue=false
      `,
        (situation, event) => !isOfCreditNotes(event) && !isAfterCreditNotes(situation),
      ),
    ).toEqual([])
  })

  test('credit notes lower what is due, and return by refunds what payments have paid', () => {
    expect(
      differences(
        invoices,
        `
      Nothing is credited of a draft and of a void invoice, and no more than is due.
      open, due, reminded, requested, processing     | credit 400                  | stays |                                 | creditNotesMinor=400 ${noted}
      with credit, overdue, partial, uncollectible   | credit 400                  | stays |                                 | creditNotesMinor=400 ${noted}
      credited                                       | credit 400                  | stays |                                 | creditNotesMinor=800 ${notedAgain}
      open, with credit, due, reminded, requested    | credit 600                  | stays |                                 | creditNotesMinor=600 ${noted}
      overdue, processing, uncollectible             | credit 600                  | stays |                                 | creditNotesMinor=600 ${noted}

      The invoice is paid when nothing is due any more.
      partial                                        | credit 600                  | paid  | -dueDate -reminder invoice.paid !renewSubscription !cancelPayments | creditNotesMinor=600 ${noted} paidAt=+0m
      credited                                       | credit 600                  | paid  | -dueDate -reminder invoice.paid !renewSubscription !cancelPayments | creditNotesMinor=1000 ${notedAgain} paidAt=+0m
      open, due, reminded, requested, processing     | credit 1000                 | paid  | -dueDate -reminder invoice.paid !renewSubscription !cancelPayments | creditNotesMinor=1000 ${noted} paidAt=+0m
      overdue                                        | credit 1000                 | paid  | -dueDate -reminder invoice.paid !renewSubscription !cancelPayments | creditNotesMinor=1000 ${noted} overdue=false paidAt=+0m
      uncollectible                                  | credit 1000                 | paid  | invoice.paid !renewSubscription !cancelPayments                    | creditNotesMinor=1000 ${noted} paidAt=+0m

      What was paid becomes credit or is refunded, at most what the payment has paid.
      open, with credit, due, overdue, reminded      | credit 0                    | stays |                                 | ${noted}
      requested, processing, partial, uncollectible  | credit 0                    | stays |                                 | ${noted}
      nothing due, paid, overpaid, refunding         | credit 0                    | stays |                                 | ${noted}
      credited, credited fully, credited by refund   | credit 0                    | stays |                                 | ${notedAgain}
      partial                                        | credit 0 by refund of 400   | stays |                                 | ${allocated([1, 400, 0, 0, 0, 400])} ${noted}
      paid                                           | credit 0 by refund of 400   | stays |                                 | ${allocated([1, 400, 0, 0, 0, 400], [2, 600, 0])} ${noted}
      overpaid                                       | credit 0 by refund of 400   | stays |                                 | ${allocated([1, 1000, 100, 0, 0, 400])} ${noted}
      refunding                                      | credit 0 by refund of 400   | stays |                                 | ${allocated([1, 1000, 100, 100, 0, 400])} ${noted}
      overpaid                                       | credit 0 by refund of 401   | stays |                                 | ${allocated([1, 1000, 100, 0, 0, 401])} ${noted}
      refunding                                      | credit 0 by refund of 401   | stays |                                 | ${allocated([1, 1000, 100, 100, 0, 401])} ${noted}
      credited fully                                 | credit 0 by refund of 400   | stays |                                 | ${allocated([1, 400, 0, 0, 0, 400])} ${notedAgain}
      partial                                        | credit 600 by refund of 400 | paid  | -dueDate -reminder invoice.paid !renewSubscription !cancelPayments | creditNotesMinor=600 ${allocated([1, 400, 0, 0, 0, 400])} ${noted} paidAt=+0m
      `,
        (_, event) => isOfCreditNotes(event),
      ),
    ).toEqual([])
  })

  test('after a credit note, what is due and what refunds return are less', () => {
    expect(
      differences(
        invoices,
        `
      Money pays what is still due.
      credited           | 400 counts               | stays | invoice.payment_received                                 | amountPaidMinor=400 ${allocated([1, 400, 0])}
      credited           | 1000 counts              | paid  | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=600 amountOverpaidMinor=400 ${allocated([1, 600, 400])} paidAt=+0m
      credited           | 1100 counts              | paid  | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=600 amountOverpaidMinor=500 ${allocated([1, 600, 500])} paidAt=+0m
      credited           | 600 of another           | paid  | -dueDate -reminder invoice.payment_received invoice.paid !renewSubscription !cancelPayments | amountPaidMinor=600 ${allocated([2, 600, 0])} paidAt=+0m
      credited fully     | 400 counts               | stays |                                                          |
      credited fully     | 1000 counts              | stays | invoice.payment_received                                 | amountOverpaidMinor=600 ${allocated([1, 400, 600])}
      credited fully     | 1100 counts              | stays | invoice.payment_received                                 | amountOverpaidMinor=700 ${allocated([1, 400, 700])}
      credited fully     | 600 of another           | stays | invoice.payment_received                                 | amountOverpaidMinor=600 ${allocated([1, 400, 0], [2, 0, 600])}
      credited by refund | 400 counts               | stays |                                                          |
      credited by refund | 1000 counts              | stays | invoice.payment_received                                 | amountOverpaidMinor=600 ${allocated([1, 400, 600, 0, 0, 400])}
      credited by refund | 1100 counts              | stays | invoice.payment_received                                 | amountOverpaidMinor=700 ${allocated([1, 400, 700, 0, 0, 400])}
      credited by refund | 600 of another           | stays | invoice.payment_received                                 | amountOverpaidMinor=600 ${allocated([1, 400, 0, 0, 0, 400], [2, 0, 600])}

      Refunds of a credit note are covered by it.
      credited, credited fully, credited by refund | refund 100                 | stays |                                    |
      credited, credited fully, credited by refund | refund 300 with credit 40  | stays |                                    |
      credited, credited fully, credited by refund | refund 1100 with credit 40 | stays |                                    |
      credited, credited fully, credited by refund | give up refund             | stays |                                    |
      credited           | refunded 100             | stays |                                                          | amountRefundedMinor=100
      credited fully     | refunded 100             | stays |                                                          | amountRefundedMinor=100 uncreditedRefundsMinor=100 ${allocated([1, 400, 0, 0, 100])}
      credited by refund | refunded 100             | stays |                                                          | amountRefundedMinor=100 ${allocated([1, 400, 0, 0, 100, 400])}

      The credit note of a void invoice covers the rest.
      credited           | void                     | void  | -dueDate -reminder invoice.voided !cancelPayments                        | retainedUntil=+14401m creditNotesMinor=1000 ${notes(firstNote, secondNote)} voidedAt=+0m voidReason=a mistake
      `,
        (situation, event) =>
          isAfterCreditNotes(situation) && /counts|another|refund|void/.test(event) && !isOfCreditNotes(event),
      ),
    ).toEqual([])
  })

  test('every state is reached', () => {
    expect(shortestPaths(invoices)).toEqual({
      draft: '',
      deleted: 'delete',
      open: 'finalize',
      paid: 'finalize with all credit',
      uncollectible: 'finalize, mark uncollectible',
      void: 'finalize, void',
    })
  })

  test('is overdue once, and not after its money has arrived', () => {
    expect(step(invoices, arrive(invoices, 'finalize, read past due date'), 'read past due date')).toBeUndefined()
    expect(step(invoices, arrive(invoices, 'finalize, 1000 counts'), 'read past due date')).toBeUndefined()
  })

  test('money that was processing and is lost lets it become overdue', () => {
    const lost = arrive(invoices, 'finalize, after dueDate, processing 400, reverted 400')
    expect(step(invoices, lost, 'read past due date')?.effects).toBe('invoice.overdue')
  })
})

const money = { ...invoices.events['1100 counts'], type: 'money_counted' }
const refunding = { ...invoices.events['refund 100'], type: 'refund_reserved' }

describe('money and refunds of the same payment', () => {
  const besides = {
    ...invoices,
    events: {
      ...invoices.events,
      '1300 counts': { ...money, countedMinor: 1300 },
      '1400 counts': { ...money, countedMinor: 1400 },
      'the most counts': { ...money, countedMinor: Number.MAX_SAFE_INTEGER },
      'refunded the most': { ...invoices.events['refunded 100'], type: 'refund_processed', amountMinor: 2 ** 53 - 1 },
      'most processing': { ...invoices.events['processing 400'], type: 'payment_processing', amountMinor: 2 ** 53 - 1 },
      'most reverted': { ...invoices.events['reverted 400'], type: 'payment_reverted', amountMinor: 2 ** 53 - 1 },
      'refunded 500': { ...invoices.events['refunded 100'], type: 'refund_processed', amountMinor: 500 },
      ...Object.fromEntries(
        [300, 400, 450].map(all => [
          `refund all ${all}`,
          { ...refunding, refundsReservedMinor: all, creditMinor: 100 },
        ]),
      ),
      ...Object.fromEntries(
        [
          [300, 200],
          [400, 400],
          [500, 400],
          [700, 400],
        ].map(([all = 0, amountMinor]) => [
          `note refunds ${amountMinor} of all ${all}`,
          { ...refunding, amountMinor, refundsReservedMinor: all, creditMinor: 100, isOfCreditNote: true },
        ]),
      ),
      ...Object.fromEntries(
        [0, 300].map(all => [
          `note cancels 400 of all ${all}`,
          {
            ...{ ...refunding, type: 'refund_released', amountMinor: 400, refundsReservedMinor: all },
            ...{ isOfCreditNote: true, isCanceled: true },
          },
        ]),
      ),
      'refund all 450 with credit 500': { ...refunding, refundsReservedMinor: 450, creditMinor: 500 },
      'refund all 300 with credit 0': { ...refunding, refundsReservedMinor: 300, creditMinor: 0 },
      'refund 600 without credit': { ...refunding, refundsReservedMinor: 600, creditMinor: 0 },
      'refund 601 without credit': { ...refunding, refundsReservedMinor: 601, creditMinor: 0 },
      'give up all but 300': { ...refunding, type: 'refund_released', refundsReservedMinor: 300 },
      'note gives up 400 of all 500': {
        ...{ ...refunding, type: 'refund_released', amountMinor: 400, refundsReservedMinor: 100, isOfCreditNote: true },
      },
      'refund all of 998': { ...refunding, refundsReservedMinor: 998, receivedMinor: 998, creditMinor: 998 },
      'refund 998 with credit 997': { ...refunding, refundsReservedMinor: 998, receivedMinor: 998, creditMinor: 997 },
    },
  } satisfies typeof invoices
  const contextAfter = (path: string) => arrive(besides, path).context as Invoice

  test('more money of a payment leaves what was refunded, taken back and credited of it', () => {
    const { allocations, amountOverpaidMinor } = contextAfter(
      'finalize, 1100 counts, refund 100, refunded 100, credit 0 by refund of 400, 1300 counts, 1400 counts',
    )
    expect(allocations).toMatchObject([
      {
        ...{ paymentId: 'payment 1', amountMinor: 1000, overpaidMinor: 400, takenBackMinor: 100, excessMinor: 0 },
        ...{ refundedMinor: 100, creditedMinor: 400 },
      },
    ])
    expect(amountOverpaidMinor).toBe(400)
  })

  test('refunds of money that never counted for the invoice are no uncredited refunds of it', () => {
    const { amountRefundedMinor, uncreditedRefundsMinor } = contextAfter('finalize, 400 counts, refunded 500')
    expect({ amountRefundedMinor, uncreditedRefundsMinor }).toEqual({
      ...{ amountRefundedMinor: 500, uncreditedRefundsMinor: 400 },
    })
  })

  test('refunds of a credit note take back no credit, and return none that was taken back before', () => {
    const noted = 'finalize, 1100 counts, credit 0 by refund of 400'
    const refunded = `${noted}, note refunds 400 of all 400`
    expect(contextAfter(refunded).allocations).toMatchObject([{ takenBackMinor: 0, noteRefundsMinor: 400 }])
    expect(contextAfter(`${refunded}, refund all 450`).allocations).toMatchObject([{ takenBackMinor: 50 }])
    // The note has two refunds: the first one is reserved when the note has already credited both.
    const before = 'finalize, 1100 counts, refund 100, credit 0 by refund of 400'
    expect(contextAfter(`${before}, note refunds 200 of all 300`).allocations).toMatchObject([{ takenBackMinor: 100 }])
  })

  test('a refund of a credit note that is retried takes no credit that another refund could not take', () => {
    // The refund of 300 took 40 of 100 because the customer had no more. Now there is more.
    const path =
      'finalize, 1100 counts, refund 300 with credit 40, credit 0 by refund of 400, note refunds 400 of all 700'
    expect(contextAfter(path).allocations).toMatchObject([{ takenBackMinor: 40, noteRefundsMinor: 400 }])
  })

  test('a refund of a credit note that is given up returns no credit that another refund has taken back', () => {
    const given = 'finalize, 1100 counts, refund 100, credit 0 by refund of 400, note refunds 400 of all 500'
    expect(contextAfter(given).allocations).toMatchObject([{ takenBackMinor: 100, noteRefundsMinor: 400 }])
    expect(contextAfter(`${given}, note gives up 400 of all 500`).allocations).toMatchObject([
      { takenBackMinor: 100, noteRefundsMinor: 0, creditedMinor: 400 },
    ])
  })

  describe('a refund of a credit note that is canceled', () => {
    const of400 = 'credit 0 by refund of 400, note refunds 400 of all 400, note cancels 400 of all 0'

    test('is credit of the payment, which later refunds take back first', () => {
      const path = `finalize, 1100 counts, ${of400}`
      expect(contextAfter(path).allocations).toMatchObject([
        { creditedMinor: 0, noteRefundsMinor: 0, noteCreditMinor: 400, takenBackMinor: 0, refundedFirstMinor: 0 },
      ])
      expect(contextAfter(`${path}, refund all 450 with credit 500`).allocations).toMatchObject([
        { takenBackMinor: 450, noteCreditMinor: 400 },
      ])
      // 100 overpaid and 400 of the note are credit that has paid something else: 600 of 1,100 are left.
      expect(step(besides, arrive(besides, path), 'refund 600 without credit')).toBeDefined()
      expect(step(besides, arrive(besides, path), 'refund 601 without credit')).toBeUndefined()
    })

    test('leaves refunds uncredited that its note had covered, and they take back none of its credit', () => {
      const noted = 'finalize, 1100 counts, credit 0 by refund of 400'
      const refunded = `${noted}, refund all 300 with credit 0, refunded 500`
      expect(contextAfter(refunded).uncreditedRefundsMinor).toBe(100)
      const path = `${refunded}, note refunds 400 of all 700, note cancels 400 of all 300`
      const { allocations, uncreditedRefundsMinor } = contextAfter(path)
      expect(allocations).toMatchObject([{ noteCreditMinor: 400, refundedFirstMinor: 300, takenBackMinor: 0 }])
      expect(uncreditedRefundsMinor).toBe(500)
      const again = `${path}, refund all 450 with credit 500`
      expect(contextAfter(again).allocations).toMatchObject([{ takenBackMinor: 150 }])
      expect(contextAfter(`${again}, give up all but 300`).allocations).toMatchObject([{ takenBackMinor: 0 }])
    })
  })

  test('a payment within the tolerance that gave credit for more than it received can be refunded in full', () => {
    const path = 'finalize with all credit, 1000 counts'
    expect(step(besides, arrive(besides, path), 'refund all of 998')).toBeDefined()
    expect(contextAfter(`${path}, refund all of 998`).allocations).toMatchObject([{ takenBackMinor: 998 }])
    expect(step(besides, arrive(besides, path), 'refund 998 with credit 997')).toBeUndefined()
  })

  test('sums of payments are at most the largest number, and what is processing is exact', () => {
    const most = Number.MAX_SAFE_INTEGER
    const full = 'finalize with all credit, 600 of another, the most counts'
    expect(contextAfter(full)).toMatchObject({
      amountOverpaidMinor: most,
      allocations: [{ overpaidMinor: 600 }, { overpaidMinor: most }],
    })
    expect(step(besides, arrive(besides, full), 'the most counts')?.changes).toBe('')
    expect(contextAfter(`${full}, refunded the most, refunded 500`).amountRefundedMinor).toBe(most)

    const processing = 'finalize, most processing, most processing, most processing'
    expect(contextAfter(processing).amountProcessingMinor).toBe(3n * BigInt(most))
    expect(processingMinor(contextAfter(processing))).toBe(most)
    expect(contextAfter(`${processing}, most reverted, most reverted, 400 counts`)).toMatchObject({
      amountPaidMinor: 400,
      amountProcessingMinor: BigInt(most) - 400n,
    })
  })
})

describe('money that arrives after the customer was erased', () => {
  const besides = {
    ...invoices,
    events: {
      ...invoices.events,
      '1400 after erasure': { ...money, countedMinor: 1400, givesNoCredit: true },
      '1300 after erasure': {
        ...invoices.events['1100 counts'],
        type: 'money_counted',
        countedMinor: 1300,
        givesNoCredit: true,
      },
      'refunded 200': { ...invoices.events['refunded 100'], type: 'refund_processed', amountMinor: 200 },
      'refund 1200': {
        ...invoices.events['refund 100'],
        type: 'refund_reserved',
        refundsReservedMinor: 1200,
        receivedMinor: 1300,
        creditMinor: 0,
      },
      'refund 1201': {
        ...invoices.events['refund 100'],
        type: 'refund_reserved',
        refundsReservedMinor: 1201,
        receivedMinor: 1300,
        creditMinor: 0,
      },
    },
  } satisfies typeof invoices
  const contextAfter = (path: string) => arrive(besides, path).context as Invoice

  test.each([
    ['finalize, 1100 counts', { amountMinor: 1000, overpaidMinor: 100, excessMinor: 200 }],
    ['finalize, 1000 counts', { amountMinor: 1000, overpaidMinor: 0, excessMinor: 300 }],
    ['finalize, void', { amountMinor: 0, overpaidMinor: 0, excessMinor: 1300 }],
  ])('is overpaid and no credit: %s', (path, allocation) => {
    const { amountOverpaidMinor, allocations } = contextAfter(`${path}, 1300 after erasure`)
    expect(allocations).toMatchObject([allocation])
    expect(amountOverpaidMinor).toBe(allocation.overpaidMinor + allocation.excessMinor)
    const again = arrive(besides, `${path}, 1300 after erasure`)
    expect(step(besides, again, '1300 after erasure')?.changes ?? '').toBe('')
  })

  test('is not due to a refund that is given up: what was taken back before stays', () => {
    const before = arrive(besides, 'finalize, 1100 counts, refund 100, credit 0 by refund of 400')
    expect(step(besides, before, 'give up refund')?.changes).toBe(allocated([1, 1000, 100, 0, 0, 400]))
    const erased = Object.assign(arrive(besides, 'finalize, 1100 counts, refund 100, credit 0 by refund of 400'), {
      context: { ...before.context, customerErased: true },
    })
    expect(step(besides, erased, 'give up refund')?.changes).toBe('')
  })

  test('adds up when it arrives in parts', () => {
    const { allocations } = contextAfter('finalize, 1100 counts, 1300 after erasure, 1400 after erasure')
    expect(allocations).toMatchObject([{ amountMinor: 1000, overpaidMinor: 100, excessMinor: 300 }])
  })

  test('is what a refund returns first, and can be refunded in full with what was paid', () => {
    const path = 'finalize, 1100 counts, 1300 after erasure'
    expect(contextAfter(`${path}, refunded 200`).uncreditedRefundsMinor).toBe(0)
    expect(contextAfter(`${path}, refunded 200, refunded 100`).uncreditedRefundsMinor).toBe(100)
    // The credit of 100 that the payment gave before was spent.
    expect(step(besides, arrive(besides, path), 'refund 1200')).toBeDefined()
    expect(step(besides, arrive(besides, path), 'refund 1201')).toBeUndefined()
  })
})
