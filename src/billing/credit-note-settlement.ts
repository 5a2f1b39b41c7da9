export type CreditNoteSettlement = {
  readonly totalMinor: number
  /** What is due for the invoice before the note. */
  readonly amountDueMinor: number
  /** Goes to the credit of the customer. */
  readonly creditMinor: number
  readonly refundsMinor: readonly number[]
}

export type SettledCreditNote =
  | { readonly ok: true; readonly dueReducedMinor: number; readonly refundsMinor: number }
  | { readonly ok: false; readonly refused: 'credit_note_not_settled'; readonly restMinor: number }

/** A note first lowers what is due. Credit and refunds must be exactly the rest, which was paid. */
export const settleCreditNote = (note: CreditNoteSettlement): SettledCreditNote => {
  const dueReducedMinor = Math.min(note.totalMinor, note.amountDueMinor)
  const restMinor = note.totalMinor - dueReducedMinor
  const refundsMinor = note.refundsMinor.reduce((sum, amount) => sum + amount, 0)
  return note.creditMinor + refundsMinor === restMinor
    ? { ok: true, dueReducedMinor, refundsMinor }
    : { ok: false, refused: 'credit_note_not_settled', restMinor }
}
