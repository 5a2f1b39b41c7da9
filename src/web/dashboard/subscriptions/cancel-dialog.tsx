import { useState } from 'preact/hooks'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { useScope, useShop } from '../shell/shop.ts'
import type { ActionDialogProps } from './action-props.ts'
import { nextStepOf } from './next-step.ts'
import { useSubscriptionsTexts } from './texts.ts'

type At = 'period_end' | 'now'

/** Cancels a subscription, and says until when the customer has access and which invoice is voided. */
export const CancelDialog = ({ subscription, invoices, onClose }: ActionDialogProps) => {
  const { cancel: texts } = useSubscriptionsTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  const { id, status, cancelAtPeriodEnd } = subscription
  const values: readonly At[] = cancelAtPeriodEnd || status === 'paused' ? ['now'] : ['period_end', 'now']
  const [at, setAt] = useState<At>(values[0] ?? 'now')
  const [idempotencyKey, setKey] = useState(newIdempotencyKey)
  const unpaid = invoices.filter(
    ({ status: each, amountPaidMinor, amountProcessingMinor }) =>
      each === 'open' && amountPaidMinor + amountProcessingMinor === 0,
  )
  const end = nextStepOf({ ...subscription, cancelAtPeriodEnd: true }, invoices)
  const until = 'at' in end ? formats.date(end.at) : ''
  const atEnd =
    status === 'past_due'
      ? texts.atEnd.owed
      : status === 'trialing'
        ? texts.atEnd.trial(until)
        : texts.atEnd.period(until)
  const submit = async () => {
    const isDone = await action.run(async () => {
      try {
        await session.call('cancelSubscription', { merchantId, id, idempotencyKey, at })
      } finally {
        // After a refusal, too: it has changed in the meantime.
        await refresh('subscriptions')
        void refresh('invoices')
      }
    })
    if (!isDone) return
    showToast(at === 'now' ? texts.done : texts.doneAtEnd)
    onClose()
  }
  return (
    <FormDialog
      open
      danger
      title={texts.title}
      no={texts.no}
      yes={texts.yes[at]}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      {values.length > 1 ? (
        <RadioChoice
          legend={texts.when}
          name="at"
          values={values}
          words={texts.at}
          about={{ period_end: atEnd, now: texts.now }}
          value={at}
          onValue={value => {
            setAt(value)
            // Another time is another request.
            setKey(newIdempotencyKey())
          }}
        />
      ) : (
        <p>{texts.now}</p>
      )}
      {unpaid.map(invoice => (
        <p key={invoice.id}>{texts.voids(formats.money(invoice.totalMinor, invoice.currency))}</p>
      ))}
      <p class="quiet">{texts.final}</p>
    </FormDialog>
  )
}
