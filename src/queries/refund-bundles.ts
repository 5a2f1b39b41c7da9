import type { Refund } from '../../machines/refund.ts'
import type { Command, Row } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { uuidFrom } from '../ids.ts'
import { invoiceKind } from '../kinds/invoice.ts'
import { paymentKind } from '../kinds/payment.ts'
import { invoiceRefundEventOf, reservationEventOf } from '../kinds/refund.ts'
import type { Sql } from '../postgres/connect.ts'
import { ofKind } from './actors.ts'
import { creditEntryRow } from './credit-entries.ts'

type Reserved = Pick<Refund, 'paymentId' | 'invoiceId' | 'creditNoteId' | 'amountMinor'>

type Given = {
  readonly cause: string
  /** Of the command for an actor, if the commands may be sent again. */
  readonly idOf?: (actor: string) => string
  /** The credit of the invoice's customer, for a refund that begins: see findTakeableCredit(). */
  readonly creditMinor?: number
  /** If it is given up, none of the credit that it took back is returned. */
  readonly givesNoCredit?: boolean
}

/** The part of a refund's bundle that concerns its payment, and the invoice of the payment. */
export const reservationCommands = (
  { paymentId, invoiceId, creditNoteId, amountMinor }: Reserved,
  on: keyof typeof reservationEventOf,
  { cause, idOf, creditMinor = 0, givesNoCredit = false }: Given,
): readonly Command[] => {
  const type = reservationEventOf[on]
  if (type === undefined) return []
  const by = (actor: string) => ({ actor, cause, ...(idOf && { id: idOf(actor) }) })
  const payment: Command = { kind: 'payment', event: { type, amountMinor }, ...by(paymentId) }
  if (invoiceId === null) return [payment]
  return [
    payment,
    {
      ...{ kind: 'invoice', event: { type: invoiceRefundEventOf[type], paymentId, amountMinor }, ...by(invoiceId) },
      // After the payment's event.
      given: actors => {
        const { refundsReservedMinor, receivedMinor } = ofKind(paymentKind, actors.get(paymentId)).context
        return {
          refundsReservedMinor,
          receivedMinor,
          creditMinor,
          givesNoCredit,
          isOfCreditNote: creditNoteId !== null,
          isCanceled: on === 'cancel',
        }
      },
      rows: (actors, before) => creditRows(actors.at(-1), before, { paymentId, creditNoteId }),
    },
  ]
}

/**
 * What a refund takes back of the credit that its payment gave, or returns if it does not take place. The amount of a refund
 * of a credit note that is canceled.
 */
const creditRows = (
  after: Actor | undefined,
  before: Actor | undefined,
  { paymentId, creditNoteId }: Pick<Refund, 'paymentId' | 'creditNoteId'>,
): readonly Row[] => {
  const growthOf = (field: 'takenBackMinor' | 'noteCreditMinor') => {
    const [then, now] = [before, after].map(
      actor => ofKind(invoiceKind, actor).context.allocations.find(each => each.paymentId === paymentId)?.[field] ?? 0,
    )
    return (now ?? 0) - (then ?? 0)
  }
  const { id, rev, context } = ofKind(invoiceKind, after)
  const { customerId, merchantId, livemode, currency } = context
  const entry = { customerId, merchantId, livemode, currency, invoiceId: id, paymentId }
  const [takenBackMinor, creditedMinor] = [growthOf('takenBackMinor'), growthOf('noteCreditMinor')]
  return [
    ...(takenBackMinor === 0
      ? []
      : [
          creditEntryRow({
            ...{ ...entry, id: uuidFrom(['refunded', id, rev]), type: 'refunded', amountMinor: -takenBackMinor },
          }),
        ]),
    ...(creditedMinor === 0 || creditNoteId === null
      ? []
      : [
          creditEntryRow({
            ...{ ...entry, id: uuidFrom(['credited', id, rev]), type: 'credit_note', amountMinor: creditedMinor },
            creditNoteId,
          }),
        ]),
  ]
}

/** What a refund can take back of the credit that its payment gave. */
export type TakeableCredit = {
  /** The credit that the payment gave, without what refunds have taken back. */
  readonly givenMinor: number
  /** The credit that the customer has. */
  readonly creditMinor: number
}

export const findTakeableCredit = async (
  sql: Sql,
  { paymentId, invoiceId }: Pick<Refund, 'paymentId' | 'invoiceId'>,
): Promise<TakeableCredit> => {
  if (invoiceId === null) return { givenMinor: 0, creditMinor: 0 }
  const [row] = await sql<{ given: string | null; credit: string | null }[]>`
    select (
      select (a->>'overpaidMinor')::bigint + (a->>'noteCreditMinor')::bigint - (a->>'takenBackMinor')::bigint
      from jsonb_array_elements(i.allocations) a
      where a->>'paymentId' = ${paymentId}) as given,
      (select b.balance_minor from credit_balances b
       where b.customer_id = survivor_of(i.customer_id) and b.currency = i.currency) as credit
    from invoices i where i.id = ${invoiceId}`
  return { givenMinor: Number(row?.given ?? 0), creditMinor: Number(row?.credit ?? 0) }
}
