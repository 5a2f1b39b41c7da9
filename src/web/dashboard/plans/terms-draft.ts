import { type Cadence, defaultDays, type Interval, shortestDays } from '../../../billing/periods.ts'
import type { BillingSettings, Plan } from '../../api/calls.ts'
import { enteredMetadata, type MetadataEntry, metadataFaultsIn } from '../customers/customer-draft.ts'
import { type InvoiceDraft, lineFaultsIn, newLine, soldLineBody } from '../invoices/invoice-draft.ts'
import { wholeOf } from '../shell/whole.ts'

/** What a plan charges and when, as it is typed. Subscriptions without a plan have the same. */
export type TermsDraft = Pick<InvoiceDraft, 'currency' | 'taxBehavior' | 'lines' | 'assets'> & {
  readonly interval: Interval
  readonly intervalCount: string
  readonly trialDays: string
  /** Empty: as the server sets it for the interval. */
  readonly leadDays: string
  readonly graceDays: string
  /** Empty: without an end. */
  readonly maxPeriods: string
  readonly activation: Plan['activation']
  readonly afterGrace: Plan['afterGrace']
}

export type PlanDraft = TermsDraft & {
  readonly name: string
  readonly description: string
  readonly reference: string
  readonly metadata: readonly MetadataEntry[]
}

export const newTermsDraft = (settings: BillingSettings): TermsDraft => ({
  ...{ currency: 'EUR', taxBehavior: settings.taxBehavior, lines: [newLine(settings)], assets: null },
  ...{ interval: 'month', intervalCount: '1', trialDays: '0', leadDays: '', graceDays: '', maxPeriods: '' },
  ...{ activation: 'on_payment', afterGrace: 'cancel' },
})

export const newPlanDraft = (settings: BillingSettings): PlanDraft => ({
  ...newTermsDraft(settings),
  ...{ name: '', description: '', reference: '', metadata: [] },
})

/** Between these, in whole numbers. Undefined: it is none of them. */
const between = (text: string, least: number, most: number): number | undefined => {
  const typed = wholeOf(text)
  return typed !== undefined && typed >= least && typed <= most ? typed : undefined
}

/** What the server takes: the days are shorter than the shortest period. */
export const cadenceOf = ({ interval, intervalCount }: Pick<TermsDraft, 'interval' | 'intervalCount'>): Cadence => ({
  interval,
  intervalCount: between(intervalCount, 1, 12) ?? 1,
})

export const mostDaysOf = (draft: TermsDraft): number => shortestDays(cadenceOf(draft)) - 1

/** What is wrong with terms, as far as the browser knows it. */
export const termsFaultsIn = (draft: TermsDraft) => {
  const most = mostDaysOf(draft)
  const isWrong = (text: string, least: number, highest: number) =>
    text.trim() !== '' && between(text, least, highest) === undefined
  return {
    lines: draft.lines.map(lineFaultsIn),
    intervalCount: between(draft.intervalCount, 1, 12) === undefined,
    trialDays: isWrong(draft.trialDays, 0, 730),
    leadDays: isWrong(draft.leadDays, 0, most),
    graceDays: isWrong(draft.graceDays, 0, most),
    maxPeriods: isWrong(draft.maxPeriods, 1, 10_000),
    assets: draft.assets !== null && draft.assets.length === 0,
  }
}

export type TermsFaults = ReturnType<typeof termsFaultsIn>

export const hasTermsFaults = ({ lines, ...flags }: TermsFaults): boolean =>
  Object.values(flags).some(Boolean) || lines.some(line => Object.keys(line).length > 0)

export const planFaultsIn = ({ name, metadata }: Pick<PlanDraft, 'name' | 'metadata'>) => ({
  name: name.trim() === '',
  metadata: metadataFaultsIn(metadata),
})

/** The days that apply: those that are typed, or those that the server sets. */
export const typedDaysOf = (draft: TermsDraft): { readonly leadDays: number; readonly graceDays: number } => {
  const most = mostDaysOf(draft)
  const usual = defaultDays[draft.interval]
  return {
    leadDays: between(draft.leadDays, 0, most) ?? usual.leadDays,
    graceDays: between(draft.graceDays, 0, most) ?? usual.graceDays,
  }
}

/** The terms as the API takes them. Nothing in them is wrong. */
export const termsBodyOf = (draft: TermsDraft) => ({
  ...{ currency: draft.currency, taxBehavior: draft.taxBehavior, lines: draft.lines.map(soldLineBody) },
  ...{ ...cadenceOf(draft), trialDays: between(draft.trialDays, 0, 730) ?? 0, ...typedDaysOf(draft) },
  ...{
    maxPeriods: between(draft.maxPeriods, 1, 10_000) ?? null,
    activation: draft.activation,
    afterGrace: draft.afterGrace,
  },
  assets: draft.assets,
})

export const planBodyOf = (draft: PlanDraft) => ({
  ...termsBodyOf(draft),
  ...{ name: draft.name.trim(), description: draft.description.trim() || null },
  ...{ reference: draft.reference.trim() || null, metadata: enteredMetadata(draft.metadata) },
})
