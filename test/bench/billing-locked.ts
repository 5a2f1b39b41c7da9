import { randomUUID } from 'node:crypto'
import { LockedOut } from '../../src/actors/command.ts'
import { finalizeInvoice } from '../../src/commands/invoices.ts'
import { connect } from '../../src/postgres/connect.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import type { Bench } from './bench.ts'
import { areNumbered, insertDrafts } from './billing-drafts.ts'
import { bestOf, milliseconds, percentile, thousands, times } from './promises.ts'

export type LockedSizes = {
  /** Links, payments and invoices of another merchant, in each round with and without the lock. */
  readonly others: number
  readonly otherCallers: number
}

type Given = LockedSizes & { readonly rounds: number; readonly databaseUrl: string }

/** What it costs other work that the counter of one merchant's numbers is locked, while its finalizations wait. */
export const promiseLocked = async (
  { print, report }: Bench,
  services: Parameters<typeof finalizeInvoice>[0],
  { rounds, others, otherCallers, databaseUrl }: Given,
): Promise<void> => {
  const { sql } = services
  const finalize = (merchantId: string, id: string) =>
    finalizeInvoice(services, { id, merchantId, livemode: false }, { cause: 'bench', responseRows: () => [] })
  const waiting = await insertDrafts(services, rounds + 1)
  const [first = '', ...next] = waiting.ids
  await finalize(waiting.merchantId, first)
  const holder = connect(databaseUrl, { max: 1, name: 'holder' })
  const measured: { ratio: number; free: number; locked: number }[] = []
  let unnumbered = 0
  try {
    for (const [round, id] of next.entries()) {
      const free = await workFor(services, finalize, { others, otherCallers })
      await holder`begin`
      await holder`select from document_series where merchant_id = ${waiting.merchantId} for update`
      // A finalization that waits too long is refused and sent again.
      const finalized = (async () => {
        for (;;)
          try {
            return await finalize(waiting.merchantId, id)
          } catch (error) {
            if (!(error instanceof LockedOut)) throw error
          }
      })()
      const locked = await workFor(services, finalize, { others, otherCallers })
      await holder`commit`
      await finalized
      if (!free.numbered || !locked.numbered) unnumbered++
      measured.push({ ratio: locked.p99 / free.p99, free: free.p99, locked: locked.p99 })
      print(
        `round ${round + 1} of ${rounds}: p99 ${milliseconds(locked.p99)} with the lock, ${milliseconds(free.p99)} without`,
      )
    }
  } finally {
    await holder.end({ timeout: 1 })
  }
  if (!(await areNumbered(sql, waiting.merchantId, rounds + 1))) unnumbered++
  const best = bestOf(measured, ({ ratio }) => ratio, 'lower')
  const promise = 'with the counter of one merchant locked, links, payments and invoices of another one'
  const from = `p99 ${milliseconds(best.locked)} against ${milliseconds(best.free)}, ${thousands(others)} of each`
  report.atMost(promise, best.ratio, 2, { as: times, from })
  report.judge(`${promise}, all done`, unnumbered === 0, `${unnumbered} series wrong`, 'none')
}

/** Opens links and payments and finalizes invoices of a merchant of its own. */
const workFor = async (
  services: Parameters<typeof finalizeInvoice>[0],
  finalize: (merchantId: string, id: string) => Promise<unknown>,
  { others, otherCallers }: LockedSizes,
): Promise<{ readonly p99: number; readonly numbered: boolean }> => {
  const { merchantId, ids } = await insertDrafts(services, others)
  const owner = { merchantId, livemode: false }
  const drafts = ids.values()
  const took: number[] = []
  const timed = async (work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now()
    await work()
    took.push(performance.now() - began)
  }
  const open = async (command: { kind: string; create: object }) => {
    const outcome = await services.actors.dispatch({ ...command, actor: randomUUID() } as never)
    if (!outcome.ok) throw new Error(`not created: ${outcome.refusal}`)
    return outcome.actor.id
  }
  await Promise.all(
    Array.from({ length: otherCallers }, async () => {
      for (const id of drafts) {
        let paymentLinkId = ''
        await timed(async () => {
          paymentLinkId = await open({
            kind: 'payment_link',
            create: { ...paymentLinkOpening, ...owner, reference: null },
          })
        })
        await timed(() =>
          open({ kind: 'payment', create: { ...paymentOpening, ...owner, paymentLinkId, windowMinutes: 30 } }),
        )
        await timed(() => finalize(merchantId, id))
      }
    }),
  )
  return { p99: percentile(took, 0.99), numbered: await areFinalized(services, merchantId, others) }
}

const areFinalized = async (
  { sql }: Pick<Parameters<typeof finalizeInvoice>[0], 'sql'>,
  merchantId: string,
  count: number,
): Promise<boolean> => {
  const [row] = await sql<{ invoices: number; payments: number }[]>`
    select (select count(*)::int from invoices where merchant_id = ${merchantId} and sequence between 1 and ${count}) as invoices,
      (select count(*)::int from payments where merchant_id = ${merchantId}) as payments`
  return row?.invoices === count && row.payments === count
}
