import { setTimeout as sleep } from 'node:timers/promises'
import { runFeedReaders } from '../../src/actors/feed-readers.ts'
import { openCalls } from '../../src/demo/call.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { paymentSumsReader } from '../../src/queries/payment-sums.ts'
import { newId, openInstance } from '../actors/lamps.ts'
import type { Bench } from './bench.ts'
import { callFor, inTurns } from './callers.ts'
import { median, milliseconds, percentile, perSecond, thousands } from './promises.ts'
import { createMigrated } from './server.ts'
import { carryOut, makeLinks, paymentSteps } from './streams-payments.ts'
import { openStreamShop } from './streams-shop.ts'
import { startWriter } from './streams-writer.ts'

export type ReaderSizes = {
  /** Transitions of payments in a second, and for how long, while `asOf` is asked for. */
  readonly perSecond: number
  readonly forMs: number
  /** Rounds of payments with the reader and without it. */
  readonly pairs: number
  readonly sliceMs: number
  readonly callers: number
}

/** The transitions of a payment itself; those of its link and its delivery come on top. */
const OF_PAYMENT = 4
const EVERY_MS = 200

/** How far `asOf` is behind the clock while a shop has many changes. */
export const promiseFreshFigures = async (
  { server, print, report }: Bench,
  { perSecond: rate, forMs }: Pick<ReaderSizes, 'perSecond' | 'forMs'>,
): Promise<void> => {
  await using shop = await openStreamShop(server, { links: 100, rows: 50 })
  const { sql, merchant } = shop
  const call = openCalls(shop.url, await shop.bearer())
  const behind = async (): Promise<number> => {
    const { json } = await call('GET', `/v1/merchants/${merchant}/analytics/series`)
    return Date.now() - Date.parse((json as { readonly asOf: string }).asOf)
  }
  await using _writer = await startWriter(shop, {
    ...{ perSecond: rate, changesOfPayment: OF_PAYMENT, changes: Number.MAX_SAFE_INTEGER, first: 50_000_000 },
  })
  // Until the code is compiled.
  await sleep(Math.min(5_000, forMs / 4))
  const before = await countTransitions(sql)
  const began = performance.now()
  const lags: number[] = []
  for (let n = 1; performance.now() - began < forMs; n++) {
    lags.push(await behind())
    await sleep(Math.max(0, began + n * EVERY_MS - performance.now()))
  }
  const seconds = (performance.now() - began) / 1_000
  const after = await countTransitions(sql)
  print(`${perSecond((after.all - before.all) / seconds)} transitions in all, ${lags.length} answers`)
  report.atLeast(
    'transitions of payments while figures are read',
    (after.payments - before.payments) / seconds,
    0.95 * rate,
    {
      as: perSecond,
    },
  )
  report.atMost(
    `how far asOf is behind with ${thousands(rate)} transitions of payments a second`,
    Math.max(...lags),
    2_000,
    {
      as: milliseconds,
      from: `p50 ${milliseconds(median(lags))}, p95 ${milliseconds(percentile(lags, 0.95))}`,
    },
  )
}

const countTransitions = async (sql: Sql): Promise<{ readonly all: number; readonly payments: number }> => {
  const [row] = await sql<{ all: number; payments: number }[]>`
    select count(*)::integer as all, (count(*) filter (where kind = 'payment'))::integer as payments from transitions`
  return row ?? { all: 0, payments: 0 }
}

/**
 * How many payments are carried out with the reader in the same process and without it. What was committed without it is
 * skipped, so that it has the work of its own time only.
 */
export const promiseReaderCost = async (
  { server, print, report }: Bench,
  { callers, pairs, sliceMs }: Pick<ReaderSizes, 'callers' | 'pairs' | 'sliceMs'>,
): Promise<void> => {
  await using db = await createMigrated(server)
  const { actors, close } = await openInstance(db.url, { kinds })
  const own = connect(db.url, { max: 2 })
  try {
    const merchantId = newId()
    const links = await makeLinks(actors, merchantId, 50)
    let [next, added] = [0, 0]
    const pay = async () => {
      for (const commands of paymentSteps({ merchantId, links }, next++).steps) await carryOut(actors, commands)
    }
    const alone = async () => (await callFor(callers, sliceMs, pay)).perSecond
    const add = async (...asked: Parameters<typeof paymentSumsReader.add>) => {
      const page = await paymentSumsReader.add(...asked)
      added += page
      return page
    }
    let committed = 0
    const withReader = async () => {
      await own`
        update feed_cursors c set era = t.era, xid = t.xid, seq = t.seq
        from (select era, xid, seq from transitions order by era desc, xid desc, seq desc limit 1) t
        where c.reader = 'payments'`
      const reader = runFeedReaders({ sql: own, log: openLog('silent') }, [{ ...paymentSumsReader, add }], {
        isChosen: () => true,
      })
      const before = await countTransitions(own)
      const load = await callFor(callers, sliceMs, pay)
      await reader.stop()
      committed += (await countTransitions(own)).all - before.all
      return load.perSecond
    }
    // Until the code is compiled.
    await inTurns(2, alone, withReader)
    ;[added, committed] = [0, 0]
    const rates = await inTurns(pairs, alone, withReader)
    print(`of ${thousands(committed)} transitions ${thousands(added)} were added at once`)
    const ratios = rates.map(([one, other]) => other / one)
    const [one, other] = [median(rates.map(([one]) => one)), median(rates.map(([, other]) => other))]
    const as = (figure: number) => `${(100 * figure).toFixed(1)} %`
    report.atMost(`what the sums of payments cost of the core's rate, callers ${callers}`, 1 - median(ratios), 0.1, {
      as,
      from: `${perSecond(other)} payments against ${perSecond(one)}, ${pairs} rounds with ${as(Math.min(...ratios))} to ${as(Math.max(...ratios))}`,
    })
  } finally {
    await own.end()
    await close()
  }
}
