import { useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { CreditNoteDialog } from './credit-note-dialog.tsx'
import { useCreditNotesOf } from './credit-notes.tsx'
import { FinalizeInvoice } from './finalize-invoice.tsx'
import { type ConfirmedAction, ConfirmInvoiceAction } from './invoice-confirm.tsx'
import { receivedMinor } from './invoice-details.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'
import { RemindDialog } from './invoice-remind.tsx'
import { VoidDialog } from './invoice-void.tsx'

type InvoiceProps = { readonly invoice: InvoiceWithLines }

type DialogName = ConfirmedAction | 'finalize' | 'remind' | 'void' | 'credit_note'

/** What can be done with an invoice in its state, the next step first. Absent for viewers. */
export const InvoiceActions = ({ invoice }: InvoiceProps) => {
  const texts = useInvoiceTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const [open, setOpen] = useState<DialogName>()
  const creditTexts = useCreditNotesTexts()
  const issued = useCreditNotesOf(invoice)
  const { id, status, overdue, url } = invoice
  if (!canWrite) return null
  const isUnpaid = status === 'open' || status === 'uncollectible'
  const credited = issued?.reduce((sum, { totalMinor }) => sum + totalMinor, 0) ?? 0
  const canCredit = issued !== undefined && (isUnpaid || status === 'paid') && credited < invoice.totalMinor
  const labels = { void: texts.void.button, credit_note: creditTexts.button }
  const item = (name: ConfirmedAction | keyof typeof labels, more: Partial<MenuItem> = {}): MenuItem => ({
    label: name === 'void' || name === 'credit_note' ? labels[name] : texts.actions[name].button,
    onSelect: () => setOpen(name),
    ...more,
  })
  const more: readonly MenuItem[] = [
    ...(canCredit ? [item('credit_note')] : []),
    item('duplicate'),
    ...(url !== null && status !== 'void' ? [item('rotate')] : []),
    ...(status === 'open' ? [item('uncollectible', { startsGroup: true })] : []),
    ...(isUnpaid && receivedMinor(invoice) === 0
      ? [item('void', { danger: true, startsGroup: status !== 'open' })]
      : []),
    ...(status === 'draft' ? [item('delete', { danger: true, startsGroup: true })] : []),
  ]
  const close = () => setOpen(undefined)
  return (
    <>
      {url !== null && status !== 'void' && (
        <CopyButton value={url} what={texts.share.address}>
          {texts.copyLink}
        </CopyButton>
      )}
      {status === 'draft' && (
        <a class="button" href={address('invoices', id, 'edit')}>
          {texts.edit}
        </a>
      )}
      {status === 'draft' && (
        <button type="button" class="button button--primary" onClick={() => setOpen('finalize')}>
          {texts.actions.finalize.button}
        </button>
      )}
      {status === 'open' && (
        <button type="button" class={overdue ? 'button button--primary' : 'button'} onClick={() => setOpen('remind')}>
          {texts.remind.button}
        </button>
      )}
      <Menu label={texts.more} class="button" items={more}>
        <Icon name="more" />
      </Menu>
      {open !== undefined && <OpenDialog name={open} invoice={invoice} issued={issued} onClose={close} />}
    </>
  )
}

type OpenDialogProps = InvoiceProps & {
  readonly name: DialogName
  readonly issued: ReturnType<typeof useCreditNotesOf>
  readonly onClose: () => void
}

const OpenDialog = ({ name, issued, ...props }: OpenDialogProps) => {
  switch (name) {
    case 'finalize':
      return <FinalizeInvoice {...props} />
    case 'remind':
      return <RemindDialog {...props} />
    case 'void':
      return <VoidDialog {...props} />
    case 'credit_note':
      return issued ? <CreditNoteDialog {...props} issued={issued} /> : null
    default:
      return <ConfirmInvoiceAction {...props} action={name} />
  }
}
