import type { CreditNoteWithLines, RefundWithAttention } from '../../api/calls.ts'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { useRefundTexts } from './texts.ts'

/** The credit note that a refund was issued with; undefined without one, and until it is read. */
export const useNoteOf = ({ creditNoteId: id }: RefundWithAttention): CreditNoteWithLines | undefined =>
  useShopQuery(['credit-notes', 'one', id], async ({ merchantId, call }, signal) =>
    id === null ? null : call('getCreditNote', { merchantId, id }, { signal }),
  ).value.data ?? undefined

/** The payment of a refund; undefined until it is read. */
export const usePaymentOf = ({ paymentId: id }: RefundWithAttention) =>
  useShopQuery(['payments', 'one', id], ({ merchantId, call }, signal) =>
    call('getPayment', { merchantId, id }, { signal }),
  ).value.data

/** Why a refund was started: for the reason of its credit note, or for its own. A list does not read the notes. */
export const useReasonOf = () => {
  const texts = useRefundTexts()
  const notes = useCreditNotesTexts()
  return ({ reason, creditNoteId }: RefundWithAttention, note?: CreditNoteWithLines): string => {
    if (note) return texts.byNote(note.number, notes.reasons[note.reason])
    const said = reason === null ? texts.noReason : texts.reasons[reason]
    if (creditNoteId === null) return said
    return reason === null || reason === 'other' ? texts.note : `${texts.note}: ${said}`
  }
}
