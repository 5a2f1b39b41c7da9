import type { Bench } from './bench.ts'
import { callTimes } from './callers.ts'
import type { CoreSizes } from './core.ts'
import { createMeters, type Meters } from './meters.ts'
import { bestOf, median, microseconds, thousands, times } from './promises.ts'

const CALLERS = 256
const BATCH = 1_024

/** The cost of a command with a long history. */
export const promiseGrowth = async (bench: Bench, sizes: CoreSizes): Promise<void> => {
  const { server, print } = bench
  await using large = await createMeters(server)
  await large.add(sizes.actors)
  await grow(bench, large, 9, sizes)
  await compare(bench, large, sizes)
  print('the same again')
  await grow(bench, large, 10, sizes)
  await compare(bench, large, sizes)
}

const grow = async ({ print }: Bench, meters: Meters, each: number, { outstanding }: CoreSizes): Promise<void> => {
  const tookMs = await meters.tickAll(each, outstanding)
  await meters.check()
  await settle(meters)
  print(`${thousands(each * meters.ids.length)} more transitions in ${(tookMs / 1_000).toFixed(0)} s`)
}

/** What autovacuum would do eventually: dead rows removed and statistics updated. */
const settle = ({ sql }: Meters) => sql`vacuum (analyze)`

const compare = async ({ server, print, report }: Bench, large: Meters, sizes: CoreSizes): Promise<void> => {
  // Kept to the end: dropping a database forces a checkpoint, after which every page of the large database
  // would be written to the WAL in full once more.
  await using smallDatabases = new AsyncDisposableStack()
  const rounds: { few: number; many: number }[] = []
  const rows = await historyOf(large)
  for (let n = 1; n <= sizes.rounds; n++) {
    const small = smallDatabases.use(await createMeters(server))
    await small.add(sizes.fewActors)
    await small.tickAll(9, CALLERS)
    await settle(small)
    const few: number[] = []
    const many: number[] = []
    // Alternating, so that disturbances of the machine affect both; the first of each warms up.
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
    print(
      `growth, round ${n} of ${sizes.rounds}: ${microseconds(median(few))} a command, ${microseconds(median(many))} at ${thousands(rows)} rows`,
    )
  }
  const best = bestOf(rounds, ({ few, many }) => many / few, 'lower')
  const promise = `a command at ${thousands(rows)} rows of history against one at ${thousands(10 * sizes.fewActors)}`
  const from = `${microseconds(best.many)} against ${microseconds(best.few)}`
  report.atMost(promise, best.many / best.few, 1.35, { as: times, from })
}

/** Microseconds per command, divided among the callers. Each batch continues where the previous one ended. */
const costOf = async (meters: Meters, batch: number): Promise<number> =>
  ((await callTimes(CALLERS, BATCH, n => meters.tick(batch * BATCH + n))) / BATCH) * 1_000

const historyOf = async ({ sql }: Meters): Promise<number> => {
  const [row] = await sql<{ rows: number }[]>`select count(*)::integer as rows from transitions`
  return row?.rows ?? 0
}
