import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { showToast } from '../../parts/toast.tsx'
import { Confirm } from '../shell/confirm.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useAddress, useScope, useShop } from '../shell/shop.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

const calls = {
  duplicate: 'duplicateInvoice',
  uncollectible: 'markInvoiceUncollectible',
  rotate: 'rotateInvoiceUrl',
  delete: 'deleteInvoice',
} as const

export type ConfirmedAction = keyof typeof calls

type ConfirmProps = {
  readonly action: ConfirmedAction
  readonly invoice: InvoiceWithLines
  readonly onClose: () => void
}

/** Says what an action does, and does it. Repeated after a lost response, it is still done once. */
export const ConfirmInvoiceAction = ({ action, invoice: { id }, onClose }: ConfirmProps) => {
  const texts = useInvoiceTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const { route } = useLocation()
  const address = useAddress()
  const refresh = useRefresh()
  const [idempotencyKey] = useState(newIdempotencyKey)
  const { title, what, yes, done } = texts.actions[action]
  const act = async () => {
    try {
      const after =
        action === 'delete'
          ? await session.call(calls[action], { merchantId, id })
          : await session.call(calls[action], { merchantId, id, idempotencyKey })
      showToast(done)
      if (action === 'delete') route(address('invoices'))
      if (after && after.id !== id) route(address('invoices', after.id))
    } finally {
      // After a refusal, too: it has changed in the meantime.
      await refresh('invoices')
    }
  }
  return (
    <Confirm
      open
      title={title}
      no={texts.back}
      yes={yes}
      danger={action === 'delete' || action === 'rotate'}
      onClose={onClose}
      onYes={act}
    >
      {what}
    </Confirm>
  )
}
