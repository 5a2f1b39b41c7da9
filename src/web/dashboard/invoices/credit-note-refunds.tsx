import type { InvoiceWithLines, PaymentWithCrypto } from '../../api/calls.ts'
import type { ApiError } from '../../api/request.ts'
import { TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { paidWith } from '../payments/payment-state.ts'
import { isRefundable, remainingOf } from '../refunds/remaining.ts'
import { UseSandboxWallet } from '../refunds/sandbox-wallet.tsx'
import { isAddressLike } from '../settings/checked-address.ts'
import { useShopQuery } from '../shell/queries.ts'
import { usePaymentsOf } from './invoice-payments.tsx'

/** What is typed for the refund of a payment. `address`: empty if the customer enters it. */
export type RefundDraft = { readonly text: string; readonly address: string }

export type Returnable = { readonly payment: PaymentWithCrypto; readonly mostMinor: number }

/** What payments have paid of an invoice and can be refunded with a credit note. Undefined until it is known. */
export const useReturnable = (invoice: InvoiceWithLines): readonly Returnable[] | undefined => {
  const payments = usePaymentsOf(invoice).data?.data
  const counted = invoice.allocations
  const ended = (payments ?? []).filter(
    payment => isRefundable(payment) && counted.some(({ paymentId }) => paymentId === payment.id),
  )
  const refunds = useShopQuery(['refunds', 'of', ...ended.map(({ id }) => id)], ({ call, ...scope }, signal) =>
    Promise.all(
      ended.map(
        async ({ id }) => (await call('listRefunds', { ...scope, paymentId: id, limit: 100 }, { signal })).data,
      ),
    ),
  ).value.data
  if (!payments || !refunds) return undefined
  return ended.flatMap((payment, n) => {
    const paidMinor = counted.find(({ paymentId }) => paymentId === payment.id)?.amountMinor ?? 0
    const mostMinor = Math.min(paidMinor, remainingOf(payment, refunds[n] ?? []).remaining)
    return mostMinor > 0 ? [{ payment, mostMinor }] : []
  })
}

type RefundFieldsProps = {
  readonly rows: readonly (Returnable & {
    readonly text: string
    readonly amountMinor: number | undefined
    readonly address: string
  })[]
  readonly drafts: Readonly<Record<string, RefundDraft>>
  readonly onDrafts: (drafts: Readonly<Record<string, RefundDraft>>) => void
  readonly isChecked: boolean
  /** The refund that the server has refused. */
  readonly refused: { readonly paymentId: string; readonly error: ApiError | undefined } | undefined
  /** What the credit note returns to the customer. */
  readonly restMinor: number
}

/** How much of each payment is refunded, and where to. */
export const RefundFields = ({ rows, drafts, onDrafts, isChecked, refused, restMinor }: RefundFieldsProps) => {
  const texts = useCreditNotesTexts()
  const { formats, now } = useReader()
  const isTooMuch = rows.reduce((sum, { amountMinor = 0 }) => sum + amountMinor, 0) > restMinor
  return (
    <>
      {rows.map(({ payment, mostMinor, text, amountMinor, address }) => {
        const { id, currency, createdAt } = payment
        const money = (minor: number) => formats.money(minor, currency)
        const change = (more: Partial<RefundDraft>) => onDrafts({ ...drafts, [id]: { text, address, ...more } })
        const code = refused?.paymentId === id ? refused.error?.code : undefined
        const remaining = refused?.error?.details.remainingMinor
        const amountError = () => {
          if (amountMinor === undefined) return texts.amountWrong
          if (amountMinor > mostMinor) return texts.tooMuch(money(mostMinor))
          if (isTooMuch && amountMinor > 0) return texts.restExceeded(money(restMinor))
          if (code === 'refund_exceeds_remaining')
            return texts.tooMuch(money(typeof remaining === 'number' ? remaining : mostMinor))
          return code === 'credit_exceeds_balance' ? texts.creditRefused : undefined
        }
        const isAddressWrong = address.trim() !== '' && !isAddressLike(address)
        return (
          <fieldset key={id} class="form">
            <legend class="legend">
              {texts.refundOf(`${paidWith(payment)}, ${formats.listed(createdAt, now.value)}`)}
            </legend>
            <TextField
              label={`${texts.amount} (${currency})`}
              inputMode="decimal"
              autocomplete="off"
              value={text}
              hint={texts.most(money(Math.min(mostMinor, restMinor)))}
              error={amountError()}
              onInput={event => change({ text: event.currentTarget.value })}
            />
            <TextField
              label={texts.destination}
              optional
              autocomplete="off"
              spellcheck={false}
              placeholder="0x…"
              hint={texts.destinationHint}
              value={address}
              error={
                isChecked && isAddressWrong
                  ? texts.addressWrong
                  : code === 'invalid_destination'
                    ? texts.addressRefused
                    : undefined
              }
              onInput={event => change({ address: event.currentTarget.value })}
            />
            <UseSandboxWallet payment={payment} onAddress={wallet => change({ address: wallet })} />
          </fieldset>
        )
      })}
    </>
  )
}
