import type { CreditNoteWithLines, RefundWithAttention } from '../../api/calls.ts'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { useRefundTexts } from './texts.ts'

const MOST = 100

/**
 * The credit note that has started a refund. A refund does not name it, and has the reason `other` if those of refunds lack
 * the reason of the note. Without an invoice the latest notes are searched; null: none are needed.
 */
export const useNoteOf = (invoiceId: string | null | undefined) => {
  const { data } = useShopQuery(['credit-notes', 'refunding', invoiceId], async ({ call, ...scope }, signal) => {
    if (invoiceId === null) return []
    const input = { ...scope, limit: MOST, ...(invoiceId !== undefined && { invoiceId }) }
    return (await call('listCreditNotes', input, { signal })).data
  }).value
  return ({ id }: RefundWithAttention): CreditNoteWithLines | undefined =>
    data?.find(({ refundIds }) => refundIds.includes(id))
}

/** Why a refund was started: for the reason of its credit note, or for its own. */
export const useReasonOf = () => {
  const texts = useRefundTexts()
  const notes = useCreditNotesTexts()
  return ({ reason }: RefundWithAttention, note: CreditNoteWithLines | undefined): string => {
    if (note) return texts.byNote(note.number, notes.reasons[note.reason])
    return reason === null ? texts.noReason : texts.reasons[reason]
  }
}
