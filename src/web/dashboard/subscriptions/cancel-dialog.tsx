import { useState } from 'preact/hooks'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { ClockTime } from '../test-clocks/clock-time.tsx'
import type { ActionDialogProps } from './action-props.ts'
import { nextStepOf } from './next-step.ts'
import { useSubscriptionsTexts } from './texts.ts'
import { unpaidOf } from './unpaid.ts'
import { useSubscriptionCall } from './use-subscription-call.ts'

type At = 'period_end' | 'now'

/** Cancels a subscription, and says until when the customer has access and which invoice is voided. */
export const CancelDialog = ({ subscription, invoices, onClose }: ActionDialogProps) => {
  const { cancel: texts } = useSubscriptionsTexts()
  const { formats } = useReader()
  const action = useAction()
  const { id, status, cancelAtPeriodEnd } = subscription
  const values: readonly At[] = cancelAtPeriodEnd || status === 'paused' ? ['now'] : ['period_end', 'now']
  const [at, setAt] = useState<At>(values[0] ?? 'now')
  const { act, renewKey } = useSubscriptionCall(id)
  const unpaid = unpaidOf(invoices)
  const end = nextStepOf({ ...subscription, cancelAtPeriodEnd: true }, invoices)
  const until = 'at' in end ? formats.date(end.at) : ''
  // The period that was paid is over.
  const isOwed = status === 'past_due'
  const atEnd = isOwed ? texts.atEnd.owed : status === 'trialing' ? texts.atEnd.trial(until) : texts.atEnd.period(until)
  const submit = async () => {
    await action.run(async () => {
      const answer = await act((call, input) => call('cancelSubscription', { ...input, at }))
      showToast(answer.status === 'canceled' ? texts.done : texts.doneAtEnd)
      onClose()
    })
  }
  return (
    <FormDialog
      open
      danger
      title={texts.title}
      no={texts.no}
      yes={isOwed ? texts.yes.now : texts.yes[at]}
      action={action}
      onSubmit={submit}
      onClose={onClose}
    >
      {values.length > 1 ? (
        <RadioChoice
          legend={texts.when}
          name="at"
          values={values}
          words={isOwed ? { ...texts.at, period_end: texts.at.unless_paid } : texts.at}
          about={{ period_end: atEnd, now: texts.now }}
          value={at}
          onValue={value => {
            setAt(value)
            // Another time is another request.
            renewKey()
          }}
        />
      ) : (
        <p>{texts.now}</p>
      )}
      {unpaid.map(invoice => (
        <p key={invoice.id}>{texts.voids(formats.money(invoice.totalMinor, invoice.currency))}</p>
      ))}
      <p class="quiet">{texts.final}</p>
      <ClockTime testClockId={subscription.testClockId} />
    </FormDialog>
  )
}
