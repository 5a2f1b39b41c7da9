import { isNumberPrefix, parseNumberPattern } from '../../../billing/document-number.ts'
import type { BillingSettings, Calls } from '../../api/calls.ts'
import { type AddressDraft, addressDraftOf, enteredAddress, missingIn } from '../postal-address/address-draft.ts'
import { basisPointsOf } from './basis-points.ts'
import { isKnownTimeZone } from './time-zones.ts'

/** The settings as they are typed. */
export type BillingDraft = {
  readonly legalName: string
  readonly address: AddressDraft
  readonly taxId: string
  readonly timeZone: string
  readonly invoicePrefix: string
  readonly creditNotePrefix: string
  readonly numberPattern: string
  readonly restart: BillingSettings['restart']
  readonly nextNumber: string
  readonly daysUntilDue: string
  /** In percent. */
  readonly taxRateBps: string
  readonly taxBehavior: BillingSettings['taxBehavior']
  readonly reminders: readonly number[]
  readonly notes: string
  readonly retentionYears: string
}

/** Only what was edited in the form. All else is shown as the settings are now, and is not saved. */
export type BillingEdits = Partial<BillingDraft>

export type BillingChanges = Omit<Calls['updateBillingSettings']['input'], 'merchantId' | 'livemode'>

export const billingDraftOf = (settings: BillingSettings): BillingDraft => ({
  ...{ legalName: settings.legalName ?? '', taxId: settings.taxId ?? '', notes: settings.notes ?? '' },
  ...{ timeZone: settings.timeZone, restart: settings.restart, taxBehavior: settings.taxBehavior },
  ...{ invoicePrefix: settings.invoicePrefix, creditNotePrefix: settings.creditNotePrefix },
  ...{ numberPattern: settings.numberPattern, nextNumber: String(settings.nextNumber) },
  ...{ daysUntilDue: String(settings.daysUntilDue), retentionYears: String(settings.retentionYears) },
  ...{ taxRateBps: String(settings.taxRateBps / 100), reminders: settings.reminders },
  address: addressDraftOf(settings.address),
})

/**
 * The number of the next invoice; undefined if it is none. It belongs to another series if numbers are to restart in another
 * way.
 */
export const nextNumberIn = (edits: BillingEdits, settings: BillingSettings): number | undefined => {
  const least = isOtherSeries(edits, settings) ? 1 : settings.nextNumber
  return edits.nextNumber === undefined ? least : wholeIn(edits.nextNumber, least, 999_999_999)
}

/** The number of the next credit note, which cannot be set. */
export const nextCreditNoteNumberIn = (edits: BillingEdits, settings: BillingSettings): number =>
  isOtherSeries(edits, settings) ? 1 : settings.nextCreditNoteNumber

const isOtherSeries = ({ restart }: BillingEdits, settings: BillingSettings): boolean =>
  restart !== undefined && restart !== settings.restart

export const billingFaultsIn = (edits: BillingEdits, settings: BillingSettings) => {
  const draft = { ...billingDraftOf(settings), ...edits }
  const parsed = parseNumberPattern(draft.numberPattern.trim(), draft.restart)
  return {
    address: missingIn(draft.address).length > 0,
    timeZone: draft.timeZone !== settings.timeZone && !isKnownTimeZone(draft.timeZone),
    invoicePrefix: !isNumberPrefix(draft.invoicePrefix.trim()),
    creditNotePrefix: !isNumberPrefix(draft.creditNotePrefix.trim()),
    numberPattern: parsed.ok ? undefined : parsed.fault,
    nextNumber: nextNumberIn(edits, settings) === undefined,
    daysUntilDue: wholeIn(draft.daysUntilDue, 0, 365) === undefined,
    taxRateBps: basisPointsOf(draft.taxRateBps, 10_000) === undefined,
    retentionYears: wholeIn(draft.retentionYears, 1, 50) === undefined,
  }
}

/** The settings that differ. Nothing in the edits is wrong. */
export const billingChangesIn = (edits: BillingEdits, settings: BillingSettings): BillingChanges => {
  const edited = Object.keys(edits)
  const after: Required<BillingChanges> = bodyOf({ ...billingDraftOf(settings), ...edits })
  return Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) => edited.includes(field) && JSON.stringify(value) !== JSON.stringify(Object(settings)[field]),
    ),
  )
}

const bodyOf = (draft: BillingDraft): Required<BillingChanges> => ({
  ...draft,
  ...{ legalName: draft.legalName.trim() || null, taxId: draft.taxId.trim() || null },
  ...{ notes: draft.notes.trim() || null, address: enteredAddress(draft.address) },
  ...{ nextNumber: Number(draft.nextNumber), daysUntilDue: Number(draft.daysUntilDue) },
  ...{ retentionYears: Number(draft.retentionYears), taxRateBps: basisPointsOf(draft.taxRateBps, 10_000) ?? 0 },
  ...{ invoicePrefix: draft.invoicePrefix.trim(), creditNotePrefix: draft.creditNotePrefix.trim() },
  ...{ timeZone: draft.timeZone.trim(), numberPattern: draft.numberPattern.trim() },
})

const wholeIn = (text: string, least: number, most: number): number | undefined => {
  const value = Number(text)
  return /^\d{1,9}$/.test(text.trim()) && value >= least && value <= most ? value : undefined
}
