import { openTimers } from '../../src/actors/timers.ts'
import type { Bench } from './bench.ts'
import type { CoreSizes } from './core.ts'
import { createMeters } from './meters.ts'
import { bestOf, perSecond, thousands } from './promises.ts'

/** How fast timers fire when all are due at the same time. */
export const promiseTimers = async ({ server, print, report }: Bench, sizes: CoreSizes): Promise<void> => {
  await using meters = await createMeters(server)
  await meters.add(sizes.timers, { dueMs: 0 })
  const timers = openTimers(meters.world, meters.actors)
  const rates: number[] = []
  for (let n = 1; n <= sizes.rounds; n++) {
    const armingMs = await meters.tickAll(1, sizes.outstanding)
    await meters.check()
    const began = performance.now()
    let fired = 0
    for (let some = await timers.fireDue(); some > 0; some = await timers.fireDue()) fired += some
    const rate = (fired / (performance.now() - began)) * 1_000
    if (fired !== sizes.timers) throw new Error(`${fired} timers fired, not ${sizes.timers}`)
    meters.fired(fired)
    await meters.check()
    print(
      `timers, round ${n} of ${sizes.rounds}: armed ${perSecond((fired / armingMs) * 1_000)}, fired ${perSecond(rate)}`,
    )
    rates.push(rate)
  }
  const best = bestOf(rates, rate => rate, 'higher')
  report.atLeast(`timers with ${thousands(sizes.timers)} armed`, best, 10_000, { as: perSecond })
}
