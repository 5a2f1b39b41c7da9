import type { Bench } from './bench.ts'
import { callTimes } from './callers.ts'
import type { CoreSizes } from './core.ts'
import { createMeters, type Meters } from './meters.ts'
import { bestOf, median, microseconds, thousands, times } from './promises.ts'

const CALLERS = 256
const BATCH = 1_024

/** What a command costs when the history has grown long. */
export const promiseGrowth = async (bench: Bench, sizes: CoreSizes): Promise<void> => {
  const { server, say } = bench
  await using large = await createMeters(server)
  await large.add(sizes.actors)
  await grow(bench, large, 9, sizes)
  await compare(bench, large, sizes)
  say('the same again')
  await grow(bench, large, 10, sizes)
  await compare(bench, large, sizes)
}

const grow = async ({ say }: Bench, meters: Meters, each: number, { outstanding }: CoreSizes): Promise<void> => {
  const tookMs = await meters.tickAll(each, outstanding)
  await meters.check()
  await settle(meters)
  say(`${thousands(each * meters.ids.length)} more transitions in ${(tookMs / 1_000).toFixed(0)} s`)
}

/** Old rows cleared away and pages counted, as the server's own vacuum would have by and by. */
const settle = ({ sql }: Meters) => sql`vacuum (analyze)`

const compare = async ({ server, say, report }: Bench, large: Meters, sizes: CoreSizes): Promise<void> => {
  // Kept to the end: dropping a database forces a checkpoint, after which every page of the large one
  // would be written to the log whole once more.
  await using smalls = new AsyncDisposableStack()
  const rounds: { few: number; many: number }[] = []
  const rows = await historyOf(large)
  for (let n = 1; n <= sizes.rounds; n++) {
    const small = smalls.use(await createMeters(server))
    await small.add(sizes.fewActors)
    await small.tickAll(9, CALLERS)
    await settle(small)
    const few: number[] = []
    const many: number[] = []
    // One after the other, so that the machine's moods hit both; the first of each warms up.
    const from = n * (sizes.batches + 1)
    for (let batch = 0; batch <= sizes.batches; batch++) {
      const costs = [await costOf(small, from + batch), await costOf(large, from + batch)] as const
      if (batch === 0) continue
      few.push(costs[0])
      many.push(costs[1])
    }
    await small.check()
    await large.check()
    rounds.push({ few: median(few), many: median(many) })
    say(
      `growth, round ${n} of ${sizes.rounds}: ${microseconds(median(few))} a command, ${microseconds(median(many))} at ${thousands(rows)} rows`,
    )
  }
  const best = bestOf(rounds, ({ few, many }) => many / few, 'lower')
  const promise = `a command at ${thousands(rows)} rows of history against one at ${thousands(10 * sizes.fewActors)}`
  const from = `${microseconds(best.many)} against ${microseconds(best.few)}`
  report.atMost(promise, best.many / best.few, 1.35, { as: times, from })
}

/** Microseconds, so many callers sharing them. Each batch goes on where the one before it ended. */
const costOf = async (meters: Meters, batch: number): Promise<number> =>
  ((await callTimes(CALLERS, BATCH, n => meters.tick(batch * BATCH + n))) / BATCH) * 1_000

const historyOf = async ({ sql }: Meters): Promise<number> => {
  const [row] = await sql<{ rows: number }[]>`select count(*)::integer as rows from transitions`
  return row?.rows ?? 0
}
