import { periodStart } from '../../../billing/periods.ts'
import type { SubscriptionWithLines } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { showToast } from '../../parts/toast.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { useCustomerTime } from '../test-clocks/use-clock.ts'
import type { ActionDialogProps } from './action-props.ts'
import { nextPeriodIndex, nextStepOf } from './next-step.ts'
import { useSubscriptionsTexts } from './texts.ts'
import { useSubscriptionCall } from './use-subscription-call.ts'

/** What a renewal would be, if nothing stopped it. */
const useRenewal = ({ subscription, invoices }: ActionDialogProps): readonly [at: string, amount: string] => {
  const { formats } = useReader()
  const going = { ...subscription, status: 'active' as const, maxPeriods: null }
  const step = nextStepOf({ ...going, cancelAtPeriodEnd: false, pauseAtPeriodEnd: false }, invoices)
  return step.kind === 'renews'
    ? [formats.date(step.at), formats.money(step.amountMinor, subscription.currency)]
    : ['', '']
}

export const UncancelDialog = (props: ActionDialogProps) => {
  const { uncancel: texts } = useSubscriptionsTexts()
  const { act } = useSubscriptionCall(props.subscription.id)
  return (
    <Confirm
      open
      title={texts.title}
      no={texts.no}
      yes={texts.button}
      onClose={props.onClose}
      onYes={async () => {
        await act((call, input) => call('uncancelSubscription', input))
        showToast(texts.done)
      }}
    >
      {texts.what(...useRenewal(props))}
    </Confirm>
  )
}

export const ResumeDialog = (props: ActionDialogProps) => {
  const { resume: texts } = useSubscriptionsTexts()
  const { subscription, onClose } = props
  const { act } = useSubscriptionCall(subscription.id)
  const now = useCustomerTime(subscription)
  const isPaused = subscription.status === 'paused'
  const renewal = useRenewal(props)
  return (
    <Confirm
      open
      title={isPaused ? texts.title : texts.withdrawTitle}
      no={texts.no}
      yes={isPaused ? texts.button : texts.withdraw}
      onClose={onClose}
      onYes={async () => {
        await act((call, input) => call('resumeSubscription', input))
        showToast(texts.done)
      }}
    >
      {!isPaused ? texts.withdrawWhat(...renewal) : now && <ResumesAt subscription={subscription} now={now} />}
    </Confirm>
  )
}

type ResumesProps = { readonly subscription: SubscriptionWithLines }

/** The first period that begins after now. */
const ResumesAt = ({ subscription, now }: ResumesProps & { readonly now: Date }) => {
  const { resume: texts } = useSubscriptionsTexts()
  const { formats } = useReader()
  const { anchorAt, amountMinor, pendingChange, currency } = subscription
  const startOf = (index: number) => periodStart(new Date(anchorAt), subscription, index)
  let index = nextPeriodIndex(subscription)
  while (startOf(index) <= now) index += 1
  return (
    <>{texts.what(formats.date(startOf(index)), formats.money(pendingChange?.amountMinor ?? amountMinor, currency))}</>
  )
}

export const RotateLinkDialog = ({ subscription, onClose }: ActionDialogProps) => {
  const { rotate: texts } = useSubscriptionsTexts()
  const { act } = useSubscriptionCall(subscription.id)
  return (
    <Confirm
      open
      danger
      title={texts.confirmTitle}
      no={texts.no}
      yes={texts.button}
      onClose={onClose}
      onYes={async () => {
        await act((call, input) => call('rotateSubscriptionUrl', input))
        showToast(texts.done)
      }}
    >
      {texts.confirmWhat}
    </Confirm>
  )
}
