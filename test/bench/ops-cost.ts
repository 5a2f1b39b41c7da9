import { kinds } from '../../src/kinds/all.ts'
import { newId, openInstance } from '../actors/lamps.ts'
import type { Bench } from './bench.ts'
import { callFor, inTurns } from './callers.ts'
import type { OpsSizes } from './ops.ts'
import { startProgram } from './program.ts'
import { median, perSecond, thousands } from './promises.ts'
import { createMigrated } from './server.ts'
import { carryOut, makeLinks, makePaidPayments, touch } from './streams-payments.ts'

export type WatcherCounts = { readonly counted: number; readonly streamed: number }

/**
 * The rate of the core while another process keeps the counts and sends the tail to a client, and while none does. What was
 * committed in between is skipped, so that the process has the work of its own time only.
 */
export const promiseWatchingCost = async (
  { server, print, report }: Bench,
  { callers, pairs, sliceMs }: OpsSizes,
): Promise<void> => {
  await using db = await createMigrated(server)
  const { actors, sql, close } = await openInstance(db.url, { kinds })
  try {
    const merchantId = newId()
    const links = await makeLinks(actors, merchantId, 10)
    const paid = await makePaidPayments(actors, { merchantId, links }, callers)
    await using watcher = await startProgram('./ops-watcher-program.ts', db.url)
    const control = async (path: string) =>
      (await (await fetch(`http://127.0.0.1:${watcher.output.trim()}${path}`)).json()) as WatcherCounts
    const turns = paid.map(() => 0)
    const commit = async (caller: number) => {
      const turn = turns[caller] ?? 0
      turns[caller] = turn + 1
      await carryOut(actors, [touch(paid[caller] ?? '', turn)])
    }
    const alone = async () => (await callFor(callers, sliceMs, commit)).perSecond
    let committed = 0
    const watched = async () => {
      await control('/start')
      const load = await callFor(callers, sliceMs, commit)
      await control('/stop')
      committed += load.done
      return load.perSecond
    }
    // Until the code is compiled.
    await inTurns(3, alone, watched)
    const before = await control('/counts')
    committed = 0
    const rates = await inTurns(pairs, alone, watched)
    const { counted, streamed } = await control('/counts')
    print(
      `of ${thousands(committed)} transitions ${thousands(counted - before.counted)} were counted at once and ${thousands(streamed - before.streamed)} sent`,
    )
    const [one, other] = [median(rates.map(([one]) => one)), median(rates.map(([, other]) => other))]
    const cost = 1 - median(rates.map(([one, other]) => other / one))
    report.atMost(`what the tail and the counts cost of the core's rate, callers ${callers}`, cost, 0.05, {
      as: figure => `${(100 * figure).toFixed(1)} %`,
      from: `${perSecond(other)} against ${perSecond(one)}`,
    })
    const [row] = await sql<{ history: number }[]>`select count(*)::integer as history from transitions`
    print(`${thousands(row?.history ?? 0)} transitions in the table`)
  } finally {
    await close()
  }
}
