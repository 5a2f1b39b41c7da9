import { useState } from 'preact/hooks'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { DayField } from '../invoices/line-fields.tsx'
import { useAction } from '../shell/action.ts'
import { refusedField } from '../shell/failure.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { ClockTime } from '../test-clocks/clock-time.tsx'
import type { ActionDialogProps } from './action-props.ts'
import { nextStepOf } from './next-step.ts'
import { useSubscriptionsTexts } from './texts.ts'
import { unpaidOf } from './unpaid.ts'
import { useSubscriptionCall } from './use-subscription-call.ts'

/** Pauses a subscription when what is paid is over, for good or until a day. */
export const PauseDialog = ({ subscription, invoices, onClose }: ActionDialogProps) => {
  const { pause: texts, cancel } = useSubscriptionsTexts()
  const { formats } = useReader()
  const action = useAction()
  const { act, renewKey } = useSubscriptionCall(subscription.id)
  const [day, setDay] = useState('')
  const isRefused = refusedField(action.error) === 'resumesAt'
  const end = nextStepOf({ ...subscription, cancelAtPeriodEnd: false, pauseAtPeriodEnd: true }, invoices)
  const submit = async () => {
    await action.run(async () => {
      const resumes = day === '' ? {} : { resumesAt: new Date(day).toISOString() }
      const { status } = await act((call, input) => call('pauseSubscription', { ...input, ...resumes }))
      showToast(status === 'paused' ? texts.done : texts.doneAtEnd)
      onClose()
    })
  }
  return (
    <FormDialog
      open
      title={texts.title}
      no={texts.no}
      yes={texts.yes}
      action={action}
      isAtField={isRefused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{subscription.status === 'past_due' ? texts.owed : texts.what('at' in end ? formats.date(end.at) : '')}</p>
      {unpaidOf(invoices).map(invoice => (
        <p key={invoice.id}>{cancel.voids(formats.money(invoice.totalMinor, invoice.currency))}</p>
      ))}
      <DayField
        label={texts.day}
        name="resumesAt"
        hint={texts.dayHint}
        value={day}
        onInput={event => {
          setDay(event.currentTarget.value)
          renewKey()
        }}
        error={isRefused ? texts.dayRefused : undefined}
      />
      <ClockTime testClockId={subscription.testClockId} />
    </FormDialog>
  )
}
