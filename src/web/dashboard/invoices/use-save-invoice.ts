import { useRef } from 'preact/hooks'
import type { BillingSettings, InvoiceWithLines } from '../../api/calls.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { ApiError } from '../../api/request.ts'
import { useScope, useShop } from '../shell/shop.ts'
import {
  type InvoiceBody,
  type InvoiceBodyChanges,
  type InvoiceDraft,
  type InvoiceEdits,
  invoiceBodyOf,
  invoiceChangesIn,
  invoiceDraftOf,
} from './invoice-draft.ts'

type Attempt = { readonly key: string; readonly body: InvoiceBody }

/** The draft on the server is another one than the edits began with. */
export class ChangedElsewhere extends Error {
  override readonly name = 'ChangedElsewhere'
}

type Saving = {
  readonly draft: InvoiceDraft
  readonly edits: InvoiceEdits
  readonly finalize: boolean
}

/**
 * Saves what is typed, once: an attempt whose outcome is not known is sent again as it was, under its key, before anything
 * else. So a lost response makes no second draft, and nothing that was typed since is lost.
 */
export const useSaveInvoice = (settings: BillingSettings, base: InvoiceWithLines | undefined) => {
  const { session } = useShop()
  const { merchantId, livemode } = useScope()
  const attempt = useRef<Attempt>(undefined)
  const finalizeKey = useRef<string>(undefined)
  /** The draft that this form has created. */
  const created = useRef<InvoiceWithLines>(undefined)

  const create = async (body: InvoiceBody): Promise<InvoiceWithLines> => {
    const sent = attempt.current ?? { key: newIdempotencyKey(), body }
    attempt.current = sent
    try {
      const { key: idempotencyKey } = sent
      const invoice = await session.call('createInvoice', { ...sent.body, merchantId, livemode, idempotencyKey })
      attempt.current = undefined
      created.current = invoice
      return invoice
    } catch (error) {
      // A refusal leaves the key free; the fields may change before the next attempt.
      if (isRefusal(error)) attempt.current = undefined
      throw error
    }
  }

  const update = async (invoice: InvoiceWithLines, changes: InvoiceBodyChanges): Promise<InvoiceWithLines> =>
    Object.keys(changes).length === 0
      ? invoice
      : await session.call('updateInvoice', { merchantId, id: invoice.id, ...changes })

  const finalizeOnce = async ({ id }: InvoiceWithLines): Promise<InvoiceWithLines> => {
    finalizeKey.current ??= newIdempotencyKey()
    try {
      return await session.call('finalizeInvoice', { merchantId, id, idempotencyKey: finalizeKey.current })
    } catch (error) {
      if (isRefusal(error)) finalizeKey.current = undefined
      throw error
    }
  }

  return async ({ draft, edits, finalize }: Saving): Promise<InvoiceWithLines> => {
    if (base) {
      const { id } = base
      // With the key of an attempt whose outcome is not known, a finalized invoice answers as it did then.
      if (finalize && finalizeKey.current) return finalizeOnce(base)
      const now = await session.call('getInvoice', { merchantId, id })
      if (now.updatedAt !== base.updatedAt) throw new ChangedElsewhere()
      const saved = await update(now, invoiceChangesIn(edits, invoiceDraftOf(now, settings)))
      return finalize ? await finalizeOnce(saved) : saved
    }
    const body = { ...invoiceBodyOf(draft), ...(finalize && { finalize }) }
    const isSame = attempt.current === undefined || JSON.stringify(attempt.current.body) === JSON.stringify(body)
    const before = created.current ?? (isSame ? undefined : await create(body))
    if (before === undefined) return create(body)
    if (before.status !== 'draft') return before
    if (finalize && finalizeKey.current) return finalizeOnce(before)
    const saved = await update(before, invoiceBodyOf(draft))
    return finalize ? await finalizeOnce(saved) : saved
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.code !== 'idempotency_key_in_use'
