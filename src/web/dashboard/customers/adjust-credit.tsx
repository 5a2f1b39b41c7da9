import { useMemo, useState } from 'preact/hooks'
import type { CustomerWithTotals } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { FormField, TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { parseAmount } from '../links/amount.ts'
import { useAction } from '../shell/action.ts'
import { refusedField } from '../shell/failure.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import { useCustomersTexts } from './texts.ts'

type AdjustCreditProps = { readonly customer: CustomerWithTotals; readonly onClose: () => void }

const currencies = ['EUR', 'USD'] as const
const directions = ['add', 'take'] as const

/** Adds an entry to the credit ledger, and says before what the balance will be. */
export const AdjustCredit = ({ customer: { id, totals }, onClose }: AdjustCreditProps) => {
  const texts = useCustomersTexts()
  const { adjust } = texts
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const [currency, setCurrency] = useState<string>(
    () => totals.find(each => each.creditMinor > 0)?.currency ?? totals[0]?.currency ?? 'EUR',
  )
  const [direction, setDirection] = useState<(typeof directions)[number]>('add')
  const [amount, setAmount] = useState('')
  const [note, setNote] = useState('')
  const [isChecked, setChecked] = useState(false)
  const balance = totals.find(each => each.currency === currency)?.creditMinor ?? 0
  const given = parseAmount(amount)
  const amountMinor = given === undefined ? undefined : direction === 'add' ? given : -given
  const after = amountMinor === undefined ? undefined : balance + amountMinor
  const isBelowZero = after !== undefined && after < 0
  const said = note.trim()
  // A repeated request does not add a second entry; another amount or note is another request.
  const idempotencyKey = useMemo(newIdempotencyKey, [currency, amountMinor, said])
  const { error } = action
  // Another member may have used some of it in the meantime.
  const isRefused = error instanceof ApiError && error.code === 'credit_exceeds_balance'
  const amountError = () => {
    if (isBelowZero || isRefused) return adjust.tooMuch(formats.money(balance, currency))
    if (after !== undefined && !Number.isSafeInteger(after)) return adjust.amountWrong
    return isChecked && given === undefined ? adjust.amountWrong : undefined
  }
  const submit = async () => {
    setChecked(true)
    if (amountMinor === undefined || isBelowZero || !Number.isSafeInteger(after) || said === '') return
    await action.run(async () => {
      try {
        const entry = { currency, amountMinor, note: said }
        await session.call('adjustCustomerCredit', { merchantId, id, idempotencyKey, ...entry })
        showToast(adjust.done)
        onClose()
      } finally {
        // Also after a failure: the entry may have been added, or the balance is another one.
        await refresh('customers')
      }
    })
  }
  const isUnknown = error instanceof ApiError && (error.status === 0 || error.status >= 500)
  return (
    <FormDialog
      open
      title={adjust.title}
      no={texts.cancel}
      yes={adjust.submit}
      action={action}
      isAtField={isRefused || refusedField(error) === 'note'}
      explain={() => (isUnknown ? adjust.unknown : undefined)}
      onSubmit={submit}
      onClose={onClose}
    >
      <RadioChoice
        legend={adjust.direction}
        name="direction"
        values={directions}
        words={adjust.directions}
        about={adjust.directionsWhat}
        value={direction}
        onValue={value => {
          setDirection(value)
          action.reset()
        }}
      />
      <div class="amount-fields">
        <TextField
          label={adjust.amount}
          inputMode="decimal"
          autocomplete="off"
          value={amount}
          onInput={event => {
            setAmount(event.currentTarget.value)
            action.reset()
          }}
          error={amountError()}
        />
        <FormField label={adjust.currency}>
          {props => (
            <select
              class="input"
              {...props}
              value={currency}
              onChange={event => {
                setCurrency(event.currentTarget.value)
                action.reset()
              }}
            >
              {currencies.map(each => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </FormField>
      </div>
      <FormField
        label={adjust.note}
        hint={adjust.noteHint}
        error={isChecked && said === '' ? adjust.noteEmpty : refusedField(error) === 'note' ? texts.refused : undefined}
      >
        {props => (
          <textarea
            class="input"
            rows={2}
            maxLength={1_000}
            {...props}
            value={note}
            onInput={event => setNote(event.currentTarget.value)}
          />
        )}
      </FormField>
      <p role="status">
        {adjust.now(formats.money(balance, currency))}{' '}
        {after !== undefined && after >= 0 && <b>{adjust.after(formats.money(after, currency))}</b>}
      </p>
    </FormDialog>
  )
}
