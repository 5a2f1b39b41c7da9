import type { CreditNote } from '../../machines/credit-note.ts'
import type { Actor } from '../../src/actors/kind.ts'
import { type CreditNoteRequest, issueCreditNote } from '../../src/commands/credit-notes.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId } from '../../src/ids.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { makeInvoice } from './invoices.ts'

type Wanted = Partial<CreditNoteRequest> & { readonly invoiceId?: string }

/** A credit note over a whole invoice, by default one of its own. */
export const makeCreditNote = async (
  api: Api,
  { merchantId, livemode }: ListOwner,
  { invoiceId, ...request }: Wanted = {},
): Promise<{ readonly note: Actor<CreditNote>; readonly id: string }> => {
  const owner = { merchantId, livemode }
  const id = invoiceId ?? (await makeInvoice(api, owner, { finalize: true })).invoice.id
  const whole = { reason: 'order_change', credited: { whole: true }, creditMinor: 0, refunds: [], note: null } as const
  const note = await issueCreditNote(
    api,
    { ...owner, id },
    { ...whole, ...request },
    {
      cause: 'test',
      responseRows: () => [],
    },
  )
  return { note, id: encodeId('cn', note.id) }
}
