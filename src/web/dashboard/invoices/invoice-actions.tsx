import { useState } from 'preact/hooks'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { type ConfirmedAction, ConfirmInvoiceAction } from './invoice-confirm.tsx'
import { useInvoiceTexts } from './invoice-page-texts.ts'
import { RemindDialog } from './invoice-remind.tsx'

type InvoiceProps = { readonly invoice: InvoiceWithLines }

type DialogName = ConfirmedAction | 'remind'

/** What can be done with an invoice in its state, the next step first. Absent for viewers. */
export const InvoiceActions = ({ invoice }: InvoiceProps) => {
  const texts = useInvoiceTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const [open, setOpen] = useState<DialogName>()
  const { id, status, url } = invoice
  if (!canWrite) return null
  const item = (name: DialogName, more: Partial<MenuItem> = {}): MenuItem => ({
    label: name === 'remind' ? texts.remind.button : texts.actions[name].button,
    onSelect: () => setOpen(name),
    ...more,
  })
  const more: readonly MenuItem[] = [
    item('duplicate'),
    ...(url !== null && status !== 'void' ? [item('rotate')] : []),
    ...(status === 'open' ? [item('uncollectible', { startsGroup: true })] : []),
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
        <button type="button" class="button button--primary" onClick={() => setOpen('remind')}>
          {texts.remind.button}
        </button>
      )}
      <Menu label={texts.more} class="button" items={more}>
        <Icon name="more" />
      </Menu>
      {open === 'remind' && <RemindDialog invoice={invoice} onClose={close} />}
      {open !== undefined && open !== 'remind' && (
        <ConfirmInvoiceAction action={open} invoice={invoice} onClose={close} />
      )}
    </>
  )
}
