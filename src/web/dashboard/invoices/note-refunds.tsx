import type { CreditNoteWithLines, RefundWithAttention } from '../../api/calls.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { useCreditNotesTexts } from '../billing-records/credit-notes-texts.ts'
import { useShopQuery } from '../shell/queries.ts'
import { useAddress } from '../shell/shop.ts'

/** The refunds of credit notes, by ID, as they are now. */
export const useRefundsOfNotes = (notes: readonly CreditNoteWithLines[]): ReadonlyMap<string, RefundWithAttention> => {
  const ids = notes.flatMap(({ refundIds }) => refundIds).sort()
  const { data } = useShopQuery(['refunds', 'of-notes', ids], async ({ merchantId, call }, signal) =>
    Promise.allSettled(ids.map(id => call('getRefund', { merchantId, id }, { signal }))),
  ).value
  return new Map((data ?? []).flatMap(one => (one.status === 'fulfilled' ? [[one.value.id, one.value]] : [])))
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

/** What of a credit note is refunded, still to be refunded, and credit since its refund was canceled. */
export const refundSumsOf = (
  { refundIds }: CreditNoteWithLines,
  refunds: ReturnType<typeof useRefundsOfNotes>,
): Readonly<Record<'pending' | 'processed' | 'canceled', number>> | undefined => {
  const sums = { pending: 0, processed: 0, canceled: 0 }
  for (const id of refundIds) {
    const refund = refunds.get(id)
    if (!refund) return undefined
    const { status, amountMinor } = refund
    sums[status === 'processed' || status === 'canceled' ? status : 'pending'] += amountMinor
  }
  return sums
}

type ClaimsProps = {
  readonly notes: readonly CreditNoteWithLines[]
  readonly refunds: ReturnType<typeof useRefundsOfNotes>
}

/** For each refund that waits for an address: how the customer enters it. */
export const AwaitedClaims = ({ notes, refunds }: ClaimsProps) => {
  const texts = useCreditNotesTexts()
  const { formats } = useReader()
  const address = useAddress()
  const awaited = notes
    .flatMap(({ refundIds }) => refundIds.flatMap(id => refunds.get(id) ?? []))
    .filter(({ status }) => status === 'requires_destination')
  return (
    <>
      {awaited.map(({ id, amountMinor, currency, claimUrl }) => (
        <NoteBox
          key={id}
          tone="warn"
          title={texts.claimTitle(formats.money(amountMinor, currency))}
          actions={
            <>
              {claimUrl !== null && (
                <CopyButton value={claimUrl} what={texts.claimLink}>
                  {texts.copyClaimLink}
                </CopyButton>
              )}
              <a class="button" href={address('refunds', id)}>
                {texts.openRefund}
              </a>
            </>
          }
        >
          {claimUrl === null ? texts.claimWhatElse : texts.claimWhat}
        </NoteBox>
      ))}
    </>
  )
}
