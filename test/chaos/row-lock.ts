import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import type { Scene } from './scene.ts'

/** The minimum, so that everything that waits for the lock does wait for it. */
const LOCKED_MS = 4_000
/** Other payments and deliveries must have changed by then. */
const LONGEST_MS = 30_000

/** Locks one row until other payments and deliveries have changed, which the lock must not prevent. */
export const holdRow = async (scene: Scene, table: string): Promise<void> => {
  const session = connect(scene.server.url, { max: 1, name: 'chaos' })
  try {
    await session`begin`
    // A row that will change, if there is one.
    const [row] = await session<{ id: string; now: Date }[]>`
      select id, clock_timestamp() as now from ${session(table)}
      order by state in ('pending', 'processing', 'sending') desc, created_at desc limit 1 for update skip locked`
    if (!row) return
    await sleep(LOCKED_MS)
    const unchangedKinds = async () => {
      const changed = await scene.sql<{ kind: string }[]>`
        select distinct kind from transitions
        where at > ${row.now} and actor <> ${row.id} and kind in ('payment', 'delivery')`
      return ['payment', 'delivery'].filter(kind => changed.every(each => each.kind !== kind))
    }
    await until(async () => (await unchangedKinds()).length === 0, { timeoutMs: LONGEST_MS, everyMs: 200 }).catch(
      () => {},
    )
    for (const kind of await unchangedKinds())
      scene.stopped.push(`while one row of ${table} was locked, no ${kind} changed`)
  } finally {
    await session.end({ timeout: 1 })
  }
}
