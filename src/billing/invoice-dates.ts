import { addDays, dayIn, endOfDay, instantOf } from './days.ts'

export type IssueTerms = {
  readonly issuedAt: Date
  /** Of the merchant. */
  readonly timeZone: string
  readonly due: { readonly daysUntilDue: number } | { readonly dueDate: string }
  /** Offsets of the reminders in days from the due date. */
  readonly reminders: readonly number[]
}

export type InvoiceDates = {
  readonly issueDate: string
  readonly dueDate: string
  readonly dueAt: Date
  readonly reminders: readonly { readonly offsetDays: number; readonly at: Date }[]
}

export type DatedInvoice =
  | { readonly ok: true; readonly dates: InvoiceDates }
  /** The due date is before the issue date. */
  | { readonly ok: false; readonly refused: 'parameter_invalid'; readonly param: 'dueDate' }

/** The dates of an invoice that is issued at this instant. Reminders whose time has passed are dropped. */
export const dateInvoice = ({ issuedAt, timeZone, due, reminders }: IssueTerms): DatedInvoice => {
  const issueDate = dayIn(timeZone, issuedAt)
  const dueDate = 'dueDate' in due ? due.dueDate : addDays(issueDate, due.daysUntilDue)
  if (dueDate < issueDate) return { ok: false, refused: 'parameter_invalid', param: 'dueDate' }
  const offsets = [...new Set(reminders)].sort((a, b) => a - b)
  return {
    ok: true,
    dates: {
      ...{ issueDate, dueDate, dueAt: endOfDay(timeZone, dueDate) },
      reminders: offsets
        .map(offsetDays => ({ offsetDays, at: instantOf(timeZone, addDays(dueDate, offsetDays), REMINDER_HOUR) }))
        .filter(({ at }) => at > issuedAt),
    },
  }
}

const REMINDER_HOUR = 9
