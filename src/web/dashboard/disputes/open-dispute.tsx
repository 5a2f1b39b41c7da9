import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Dispute, PaymentWithCrypto } from '../../api/calls.ts'
import { ApiError } from '../../api/request.ts'
import { FormField, TextField } from '../../parts/field.tsx'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { parseAmount, plainAmount } from '../links/amount.ts'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { useDisputeTexts } from './texts.ts'

type PaymentProps = { readonly payment: PaymentWithCrypto }

/** Opens a dispute of a payment in test mode. */
export const OpenDispute = ({ payment }: PaymentProps) => {
  const texts = useDisputeTexts()
  const canWrite = useCanWrite()
  const [isOpen, setOpen] = useState(false)
  if (!canWrite || payment.livemode || payment.status !== 'success') return null
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {texts.open.button}
      </button>
      {isOpen && <NewDispute payment={payment} onClose={() => setOpen(false)} />}
    </>
  )
}

const NewDispute = ({ payment, onClose }: PaymentProps & { readonly onClose: () => void }) => {
  const texts = useDisputeTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const { route } = useLocation()
  const address = useAddress()
  const refresh = useRefresh()
  const action = useAction()
  const { id, currency } = payment
  const [reason, setReason] = useState<Dispute['reason']>('product_not_received')
  const [amount, setAmount] = useState(plainAmount(payment.amountMinor))
  const [description, setDescription] = useState('')
  const [isChecked, setChecked] = useState(false)
  const amountMinor = parseAmount(amount)
  const isWrong = amountMinor === undefined || amountMinor > payment.amountMinor
  const other = action.error instanceof ApiError ? action.error.details.disputeId : undefined
  const submit = async () => {
    setChecked(true)
    if (amountMinor === undefined || isWrong) return
    await action.run(async () => {
      const said = description.trim()
      const dispute = await session.call('openDispute', {
        ...{ merchantId, id, reason, amountMinor },
        ...(said !== '' && { description: said }),
      })
      await refresh('disputes')
      showToast(texts.open.done)
      onClose()
      route(address('disputes', dispute.id))
    })
  }
  return (
    <FormDialog
      open
      title={texts.open.title}
      no={texts.open.cancel}
      yes={texts.open.submit}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="quiet">{texts.open.what}</p>
      <FormField label={texts.reason}>
        {props => (
          <select
            class="input"
            {...props}
            value={reason}
            onChange={event => setReason(event.currentTarget.value as Dispute['reason'])}
          >
            {Object.entries(texts.reasons).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <TextField
        label={texts.open.amount(currency)}
        inputMode="decimal"
        autocomplete="off"
        value={amount}
        error={isChecked && isWrong ? texts.open.amountWrong(formats.money(payment.amountMinor, currency)) : undefined}
        onInput={event => setAmount(event.currentTarget.value)}
      />
      <FormField label={texts.open.description} optional>
        {props => (
          <textarea
            class="input"
            rows={3}
            maxLength={1_000}
            {...props}
            value={description}
            onInput={event => setDescription(event.currentTarget.value)}
          />
        )}
      </FormField>
      {typeof other === 'string' && (
        <p>
          <a href={address('disputes', other)}>{texts.open.already}</a>
        </p>
      )}
    </FormDialog>
  )
}
