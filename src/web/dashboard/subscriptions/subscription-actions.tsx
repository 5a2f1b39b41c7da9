import { useState } from 'preact/hooks'
import { useCanWrite } from '../shell/shop.ts'
import type { ActionProps } from './action-props.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { isSubscriptionOver } from './subscription-state.ts'
import { useSubscriptionsTexts } from './texts.ts'

/** What can be done with a subscription in its state. Absent for viewers. */
export const SubscriptionActions = (props: ActionProps) => {
  const texts = useSubscriptionsTexts()
  const canWrite = useCanWrite()
  const [open, setOpen] = useState<'cancel'>()
  const { subscription } = props
  const { status } = subscription
  if (!canWrite || isSubscriptionOver(subscription)) return null
  const close = () => setOpen(undefined)
  return (
    <>
      {status !== 'incomplete' && (
        <button type="button" class="button button--danger" onClick={() => setOpen('cancel')}>
          {texts.cancel.button}
        </button>
      )}
      {open === 'cancel' && <CancelDialog {...props} onClose={close} />}
    </>
  )
}
