import { useId, useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { PaymentWithCrypto, RefundWithAttention } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { FormField, TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { parseAmount, plainAmount } from '../links/amount.ts'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useAddress, useScope, useShop } from '../shell/shop.ts'
import { UseSandboxWallet } from './sandbox-wallet.tsx'
import { useRefundTexts } from './texts.ts'

type Reason = NonNullable<RefundWithAttention['reason']>

type NewRefundProps = {
  readonly payment: PaymentWithCrypto
  /** In minor units: what can be refunded, and what other refunds have taken. */
  readonly remaining: number
  readonly taken: number
  readonly onClose: () => void
}

/** Asks how much is refunded, why and where to, and starts the refund. */
export const NewRefund = ({ payment, remaining, taken, onClose }: NewRefundProps) => {
  const texts = useRefundTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const { route } = useLocation()
  const address = useAddress()
  const refresh = useRefresh()
  const action = useAction()
  const radios = useId()
  const { id, currency, customerEmail, crypto } = payment
  const money = (minor: number) => formats.money(minor, currency)
  const [most, setMost] = useState(remaining)
  /** The rest was credit of the customer, and has paid something else. */
  const [isSpent, setSpent] = useState(false)
  const [amount, setAmount] = useState(plainAmount(remaining))
  const [reason, setReason] = useState<Reason | ''>(
    payment.status === 'success' ? 'requested_by_customer' : 'late_payment',
  )
  const [isKnown, setKnown] = useState(false)
  const [destination, setDestination] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [refused, setRefused] = useState<string>()
  const amountMinor = parseAmount(amount)
  // A repeated request does not start a second refund; another amount is another request.
  const idempotencyKey = useMemo(newIdempotencyKey, [amountMinor, reason, isKnown && destination])
  const amountFault = () => {
    if (amountMinor === undefined) return texts.start.amountWrong
    if (amountMinor <= most) return undefined
    return (isSpent ? texts.start.creditSpent : texts.start.tooMuch)(money(most))
  }
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(destination.trim())
  const addressFault = isKnown && !isAddress ? texts.start.addressWrong : refused
  const units = amountMinor === undefined ? undefined : unitsOf(payment, amountMinor)
  const hint = [
    units !== undefined &&
      crypto?.asset != null &&
      crypto.decimals !== null &&
      texts.start.units(formats.units(units, { asset: crypto.asset, decimals: crypto.decimals }), crypto.network),
    texts.start.most(money(most)),
    taken > 0 && texts.start.taken(money(taken)),
  ]

  const nameAddress = (text: string) => {
    setDestination(text)
    setRefused(undefined)
  }
  const submit = async () => {
    setChecked(true)
    if (amountMinor === undefined || amountFault() !== undefined || (isKnown && !isAddress)) return
    await action.run(async () => {
      try {
        const refund = await session.call('startRefund', {
          ...{ merchantId, id, idempotencyKey, amountMinor },
          ...(reason !== '' && { reason }),
          ...(isKnown && { destination: destination.trim() }),
        })
        showToast(texts.start.done)
        onClose()
        route(address('refunds', refund.id))
      } catch (error) {
        const { code, details } = error instanceof ApiError ? error : { code: undefined, details: {} }
        if (code === 'invalid_destination') return setRefused(texts.start.addressRefused)
        // Another refund was faster, or the customer has used the credit that this payment gave.
        const isTooMuch = code === 'refund_exceeds_remaining' || code === 'credit_exceeds_balance'
        if (isTooMuch && typeof details.remainingMinor === 'number') {
          setSpent(code === 'credit_exceeds_balance')
          return setMost(details.remainingMinor)
        }
        throw error
      } finally {
        void refresh('refunds')
        void refresh('payments')
      }
    })
  }

  return (
    <FormDialog
      open
      title={texts.start.title}
      no={texts.start.cancel}
      yes={amountMinor === undefined ? texts.start.button : texts.start.submit(money(amountMinor))}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="quiet">{texts.start.of(money(payment.amountMinor), customerEmail)}</p>
      <TextField
        label={texts.start.amount(currency)}
        inputMode="decimal"
        autocomplete="off"
        value={amount}
        hint={hint.filter(Boolean).join(' ')}
        error={isChecked ? amountFault() : undefined}
        onInput={event => setAmount(event.currentTarget.value)}
      />
      <FormField label={texts.reason}>
        {props => (
          <select
            class="input"
            {...props}
            value={reason}
            onChange={event => setReason(event.currentTarget.value as Reason | '')}
          >
            <option value="">{texts.noReason}</option>
            {Object.entries(texts.reasons).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <fieldset>
        <legend class="legend">{texts.start.where}</legend>
        <label class="check">
          <input type="radio" name={radios} checked={!isKnown} onInput={() => setKnown(false)} />
          <span>
            {texts.start.ask}
            <span>{texts.start.askWhat(customerEmail)}</span>
          </span>
        </label>
        <label class="check">
          <input type="radio" name={radios} checked={isKnown} onInput={() => setKnown(true)} />
          <span>
            {texts.start.known}
            <span>{texts.start.knownWhat}</span>
          </span>
        </label>
      </fieldset>
      {isKnown && (
        <>
          <TextField
            label={texts.start.address}
            autocomplete="off"
            spellcheck={false}
            placeholder="0x…"
            value={destination}
            error={isChecked ? addressFault : undefined}
            onInput={event => nameAddress(event.currentTarget.value)}
          />
          <UseSandboxWallet payment={payment} onAddress={nameAddress} />
        </>
      )}
    </FormDialog>
  )
}

/** At the price of the payment, rounded down as the server does. */
const unitsOf = ({ amountMinor, crypto }: PaymentWithCrypto, refunded: number): bigint | undefined =>
  crypto?.amountExpected == null ? undefined : (BigInt(crypto.amountExpected) * BigInt(refunded)) / BigInt(amountMinor)
