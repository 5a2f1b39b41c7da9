import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useInvoiceTexts } from '../invoices/invoice-page-texts.ts'
import { useCanWrite } from '../shell/shop.ts'
import type { ActionDialogProps, ActionProps } from './action-props.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { ChangeDialog } from './change-dialog.tsx'
import { ResumeDialog, RotateLinkDialog, UncancelDialog } from './confirm-dialogs.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { PauseDialog } from './pause-dialog.tsx'
import { isSubscriptionOver } from './subscription-state.ts'
import { useSubscriptionsTexts } from './texts.ts'

const dialogs = {
  cancel: CancelDialog,
  uncancel: UncancelDialog,
  pause: PauseDialog,
  resume: ResumeDialog,
  change: ChangeDialog,
  edit: EditDialog,
  rotate: RotateLinkDialog,
} as const satisfies Readonly<Record<string, ComponentType<ActionDialogProps>>>

type ActionName = keyof typeof dialogs

/** What can be done with a subscription in its state. Absent for viewers. */
export const SubscriptionActions = (props: ActionProps) => {
  const texts = useSubscriptionsTexts()
  const { more } = useInvoiceTexts()
  const canWrite = useCanWrite()
  const [open, setOpen] = useState<ActionName>()
  const { subscription } = props
  const { status, cancelAtPeriodEnd, pauseAtPeriodEnd, url } = subscription
  if (!canWrite || isSubscriptionOver(subscription)) return null
  const isRunning = status === 'trialing' || status === 'active' || status === 'past_due'
  const isResumable = status === 'paused' && subscription.nextInvoiceAt === null && subscription.openInvoiceId === null
  const item = (name: Exclude<ActionName, 'resume'>, more: Partial<MenuItem> = {}): MenuItem => ({
    ...{ label: texts[name].button, onSelect: () => setOpen(name), ...more },
  })
  const items: readonly MenuItem[] = [
    ...(status === 'trialing' || (status === 'active' && !cancelAtPeriodEnd) ? [item('change')] : []),
    ...((status === 'active' || status === 'past_due') && !cancelAtPeriodEnd && !pauseAtPeriodEnd
      ? [item('pause')]
      : []),
    item('edit'),
    ...(url === null ? [] : [item('rotate')]),
    ...(isRunning || status === 'paused' ? [item('cancel', { danger: true, startsGroup: true })] : []),
  ]
  const Dialog = open && dialogs[open]
  const primary = (name: 'uncancel' | 'resume', label: string) => (
    <button type="button" class="button button--primary" onClick={() => setOpen(name)}>
      {label}
    </button>
  )
  return (
    <>
      {cancelAtPeriodEnd && primary('uncancel', texts.uncancel.button)}
      {pauseAtPeriodEnd && primary('resume', texts.resume.withdraw)}
      {isResumable && primary('resume', texts.resume.button)}
      <Menu label={more} class="button" items={items}>
        <Icon name="more" />
      </Menu>
      {Dialog && <Dialog {...props} onClose={() => setOpen(undefined)} />}
    </>
  )
}
