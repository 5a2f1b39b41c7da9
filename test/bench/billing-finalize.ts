import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { finalizeInvoice } from '../../src/commands/invoices.ts'
import type { Dependencies } from '../../src/dependencies.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { SECRET_KEY } from '../harness/api.ts'
import type { Bench } from './bench.ts'
import { areNumbered, insertDrafts } from './billing-drafts.ts'
import { promiseKilledFinalizations } from './billing-kills.ts'
import { type LockedSizes, promiseLocked } from './billing-locked.ts'
import { bestOf, perSecond, thousands } from './promises.ts'
import { createMigrated } from './server.ts'

export type FinalizeSizes = LockedSizes & {
  readonly rounds: number
  /** Invoices of one merchant in each round. */
  readonly invoices: number
  readonly issuers: number
  readonly kills: number
}

/** How fast the invoices of one merchant get their numbers, and that no kill leaves a gap. */
export const promiseFinalizations = async (bench: Bench, sizes: FinalizeSizes): Promise<void> => {
  await using database = await createMigrated(bench.server)
  const sql = connect(database.url, { max: 8, byKey: true })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => sql.end({ timeout: 1 }))
  const random: Dependencies['random'] = bytes => crypto.getRandomValues(bytes)
  const outside = { sql, clock: databaseClock(), random, log: openLog('silent') }
  const services = { ...outside, actors: await openActors(outside, kinds), keyring: openKeyring(SECRET_KEY) }
  stack.defer(() => services.actors.idle())
  await promiseRate(bench, services, sizes)
  await promiseKilledFinalizations(bench, services, { ...sizes, databaseUrl: database.url })
  await promiseLocked(bench, services, { ...sizes, databaseUrl: database.url })
  const [stored] = await sql<{ count: number }[]>`select count(*)::int as count from invoice_documents`
  bench.report.judge('documents rendered while invoices are finalized', stored?.count === 0, `${stored?.count}`, 'none')
}

const promiseRate = async (
  { print, report }: Bench,
  services: Parameters<typeof finalizeInvoice>[0],
  { rounds, invoices, issuers }: FinalizeSizes,
): Promise<void> => {
  const rates: number[] = []
  let wrong = 0
  for (let round = 1; round <= rounds; round++) {
    const { merchantId, ids } = await insertDrafts(services, invoices)
    const waiting = ids.values()
    const began = performance.now()
    await Promise.all(
      Array.from({ length: issuers }, async () => {
        for (const id of waiting)
          await finalizeInvoice(
            services,
            { id, merchantId, livemode: false },
            { cause: 'bench', responseRows: () => [] },
          )
      }),
    )
    rates.push((invoices / (performance.now() - began)) * 1_000)
    if (!(await areNumbered(services.sql, merchantId, invoices))) wrong++
    print(`round ${round} of ${rounds}: ${perSecond(rates.at(-1) ?? 0)}`)
  }
  const promise = `${issuers} callers finalize ${thousands(invoices)} invoices of one merchant`
  report.atLeast(
    promise,
    bestOf(rates, rate => rate, 'higher'),
    1_000,
    { as: perSecond },
  )
  report.judge(`${promise}, numbers 1, 2, 3 … in the order of time`, wrong === 0, `${wrong} rounds wrong`, 'none')
}
