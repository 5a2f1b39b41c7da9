import { setTimeout as sleep } from 'node:timers/promises'
import type { InvoiceContent } from '../../machines/invoice-events.ts'
import { type BundleOutcome, type Command, CommandFault, type Row } from '../actors/command.ts'
import type { Actor, Kind } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { Refusal, refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import type { Keyring } from '../keyring.ts'
import { ofKind } from '../queries/actors.ts'
import type { BillingSettingsRow } from '../queries/billing-settings.ts'
import { creditEntryRow } from '../queries/credit-entries.ts'
import { type SeriesKey, seriesIdOf } from '../queries/document-series.ts'
import { type IssuePlan, issueCommands, newPartySalt, partyOf, StalePlan } from '../queries/invoice-issue.ts'
import type { FinalizationFacts } from '../queries/invoices.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { INVOICE_PURPOSE } from '../sealed-columns.ts'
import { newPageToken } from './page-tokens.ts'
import { createHiddenLink } from './payment-links.ts'

export type InvoiceServices = Services & { readonly keyring: Keyring }

/** A draft that is finalized: one that exists, or the one that the same bundle creates. */
export type IssuableDraft = {
  readonly id: string
  readonly rev: number
  readonly content: ListOwner & Pick<InvoiceContent, 'currency' | 'totalMinor' | 'assets'>
}

export type Finalization = {
  readonly draft: IssuableDraft
  readonly facts: FinalizationFacts
  readonly cause: string
}

/**
 * The commands that finalize a draft: its number, the hidden payment link if something is due, and the credit that is
 * applied are one commit. The row of the series is the counter, which the commit locks for as long as it takes: payments
 * and the documents of other merchants use other rows.
 */
export const finalizationOf = (
  services: InvoiceServices,
  series: SeriesKey,
  { draft, facts, cause }: Finalization,
): readonly Command[] => {
  const { id, rev, content } = draft
  const now = services.clock.now()
  const newId = () => uuidv7(now, services.random)
  const creditAppliedMinor = creditAppliedTo(content, facts)
  const amountMinor = content.totalMinor - creditAppliedMinor
  const paymentLinkId = amountMinor > 0 ? newId() : null
  const seriesId = seriesIdOf(series)
  const plan: IssuePlan = {
    ...{ invoiceId: id, seriesId, rev, settings: facts.settings, party: partyOf(facts.customer) },
    fixed: {
      creditAppliedMinor,
      paymentLinkId,
      partySalt: newPartySalt(services),
      ...newPageToken(services, INVOICE_PURPOSE, id),
    },
  }
  const entry = { customerId: facts.customer.id, currency: content.currency, amountMinor: -creditAppliedMinor }
  const { merchantId, livemode } = content
  const applied = creditEntryRow({
    ...{ ...entry, id: newId(), merchantId, livemode, type: 'applied', invoiceId: id },
  })
  return [
    ...(paymentLinkId === null ? [] : [createHiddenLink(paymentLinkId, dueOf(content, amountMinor), cause)]),
    ...issueCommands(plan, { cause, ...(creditAppliedMinor > 0 && { rows: [applied] }) }),
  ]
}

export const creditAppliedTo = (
  { totalMinor }: Pick<InvoiceContent, 'totalMinor'>,
  { creditMinor }: Pick<FinalizationFacts, 'creditMinor'>,
): number => Math.min(totalMinor, creditMinor)

export const dueOf = ({ merchantId, livemode, currency, assets }: IssuableDraft['content'], amountMinor: number) => ({
  ...{ merchantId, livemode, currency, amountMinor },
  assets: assets?.map(({ chainId, asset }) => ({ chainId, asset })) ?? null,
})

const neededOf = (settings: BillingSettingsRow) => ({ legalName: settings.legal_name, address: settings.address })

/** Whether invoices can be issued. */
export const isSellerComplete = (settings: BillingSettingsRow, livemode: boolean): boolean =>
  !livemode || !Object.values(neededOf(settings)).includes(null)

/** Live documents must name their seller. */
export const requireComplete = ({ settings }: Pick<FinalizationFacts, 'settings'>, livemode: boolean): void => {
  const needed = neededOf(settings)
  const missing = Object.entries(needed).flatMap(([field, value]) => (value === null ? [field] : []))
  if (livemode && missing.length > 0) refuse('invoice_incomplete', { details: { missing } })
}

/**
 * Dispatches commands whose fields are decided with the locked rows. `stale`: the rows are no longer those that the commands
 * were made for, so they must be made again.
 */
export const dispatchPlanned = async (
  { actors }: Services,
  commands: readonly Command[],
): Promise<BundleOutcome | 'stale'> => {
  try {
    const outcome = await actors.dispatchBundle(commands)
    const isStale = !outcome.ok && refusalsOfOthers.includes(outcome.refusal)
    return isStale ? 'stale' : outcome
  } catch (error) {
    if (!(error instanceof CommandFault)) throw error
    if (error.cause instanceof StalePlan) return 'stale'
    throw error.cause instanceof Refusal ? error.cause : error
  }
}

/** The customer was created or erased, its credit was spent, or the plan was archived, by another request. */
const refusalsOfOthers: readonly string[] = [
  ...['credit_exceeds_balance', 'customer_erased', 'duplicate_customer'],
  'plan_archived',
]

/** Rows for the response, on the last command of a bundle, by the actor in the response as it is then. */
export const withResponse = <C>(
  kind: Kind<C>,
  id: string,
  commands: readonly Command[],
  responseRows: (actor: Actor<C>) => readonly Row[],
): readonly Command[] =>
  commands.map((command, at) => {
    if (at < commands.length - 1) return command
    const { rows: own = [] } = command
    return {
      ...command,
      rows: (actors, before) => [
        ...(typeof own === 'function' ? own(actors, before) : own),
        ...responseRows(ofKind(kind, lastOf(id, actors))),
      ],
    }
  })

/** An actor after a bundle. It must be the object that the response was rendered from. */
export const afterBundle = <C>(kind: Kind<C>, id: string, outcome: BundleOutcome & { readonly ok: true }): Actor<C> =>
  ofKind(
    kind,
    lastOf(
      id,
      outcome.done.map(({ actor }) => actor),
    ),
  )

/** So many requests that change the same customer or invoice at the same time are finished, one in each round. */
const MOST_ROUNDS = 100

/**
 * Makes the commands again until they fit the rows. The pauses grow by a millisecond from round to round, to five seconds in
 * all: erasing or merging a customer takes up to a second.
 */
export const untilCurrent = async <Made>(work: (attempt: number) => Promise<Made | undefined>): Promise<Made> => {
  for (let attempt = 0; attempt < MOST_ROUNDS; attempt++) {
    if (attempt > 1) await sleep(attempt)
    const made = await work(attempt)
    if (made !== undefined) return made
  }
  return refuse('service_unavailable', { retryAfter: 1 })
}

const lastOf = (id: string, actors: readonly Actor[]): Actor | undefined => actors.findLast(actor => actor.id === id)
