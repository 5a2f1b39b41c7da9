import type { CreditNoteWithLines, RefundWithAttention } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { useAddress } from '../shell/shop.ts'

/** The refunds of credit notes, by ID, as they are now. */
export const useRefundsOfNotes = (notes: readonly CreditNoteWithLines[]): ReadonlyMap<string, RefundWithAttention> => {
  const ids = notes.flatMap(({ refundIds }) => refundIds).sort()
  const { data } = useShopQuery(['refunds', 'of-notes', ids], async ({ merchantId, call }, signal) =>
    Promise.all(ids.map(id => call('getRefund', { merchantId, id }, { signal }))),
  ).value
  return new Map((data ?? []).map(refund => [refund.id, refund]))
}

type NoteRefundsProps = {
  readonly note: CreditNoteWithLines
  readonly refunds: ReturnType<typeof useRefundsOfNotes>
}

/** Links to the refunds of a credit note, with what each of them waits for. */
export const NoteRefunds = ({ note: { refundIds }, refunds }: NoteRefundsProps) => {
  const texts = useCreditNotesTexts()
  const { formats } = useReader()
  const address = useAddress()
  return (
    <>
      {refundIds.map(id => {
        const refund = refunds.get(id)
        return (
          <span key={id} class="credit-notes__part">
            <a href={address('refunds', id)}>
              {refund ? texts.refund(formats.money(refund.amountMinor, refund.currency)) : texts.openRefund}
            </a>
            {refund && <span class="table__under">{texts.refundStates[refund.status]}</span>}
          </span>
        )
      })}
    </>
  )
}
