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
        }
      },
      rows: (actors, before) => takenBackRows(actors.at(-1), before, paymentId),
    },
  ]
}

/** What a refund takes back of the credit that its payment gave, or returns if it does not take place. */
const takenBackRows = (after: Actor | undefined, before: Actor | undefined, paymentId: string): readonly Row[] => {
  const takenBack = (actor: Actor | undefined) =>
    ofKind(invoiceKind, actor).context.allocations.find(each => each.paymentId === paymentId)?.takenBackMinor ?? 0
  const amountMinor = takenBack(before) - takenBack(after)
  if (amountMinor === 0) return []
  const { id, rev, context } = ofKind(invoiceKind, after)
  const { customerId, merchantId, livemode, currency } = context
  return [
    creditEntryRow({
      ...{ id: uuidFrom(['refunded', id, rev]), customerId, merchantId, livemode, currency },
      ...{ type: 'refunded', amountMinor, invoiceId: id, paymentId },
    }),
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
      select (a->>'overpaidMinor')::bigint - (a->>'takenBackMinor')::bigint from jsonb_array_elements(i.allocations) a
      where a->>'paymentId' = ${paymentId}) as given,
      (select b.balance_minor from credit_balances b
       where b.customer_id = survivor_of(i.customer_id) and b.currency = i.currency) as credit
    from invoices i where i.id = ${invoiceId}`
  return { givenMinor: Number(row?.given ?? 0), creditMinor: Number(row?.credit ?? 0) }
}
