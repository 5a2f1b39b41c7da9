import { tasks } from '../tasks/all.ts'
import { type Actors, openActors } from './actors/actors.ts'
import { openTimers } from './actors/timers.ts'
import type { Env } from './env.ts'
import { kinds } from './kinds/all.ts'
import { connect } from './postgres/connect.ts'
import { work } from './workers/work.ts'
import type { Outside } from './world.ts'

/** What works behind the HTTP surface: the actors, their timers, and the workers. */
export type Machinery = {
  readonly actors: Actors
  /** What keeps the workers from working; undefined when nothing does. */
  trouble(): string | undefined
  /** Finishes what is under way or gives it back; within 18 s, also when the database hangs. */
  stop(): Promise<void>
}

/** Registers the machines with the actors and starts what ROLE asks for. */
export const startMachinery = async (outside: Outside, env: Env, databaseUrl: string): Promise<Machinery> => {
  // A pool of their own: whatever a page asks of the database, commits do not queue behind it.
  const sql = connect(databaseUrl, { max: 8, name: 'paymachine actors', byKey: true })
  const actors = await openActors({ ...outside, sql }, kinds)
  const labour = env.role === 'api' ? undefined : startLabour({ ...outside, sql }, actors, env.role, databaseUrl)
  return {
    actors,
    trouble: () => labour?.trouble(),
    stop: async () => {
      await labour?.stop()
      await actors.idle()
      await sql.end({ timeout: 5 })
    },
  }
}

const startLabour = (outside: Outside, actors: Actors, role: 'all' | 'worker', databaseUrl: string) => {
  const worker = work({ ...outside, actors }, { databaseUrl, tasks, role })
  const share = () => {
    const { position, count } = worker.share()
    return { index: Math.max(position, 0), of: Math.max(count, 1) }
  }
  const timers = openTimers(outside, actors, { share })
  timers.start()
  return {
    trouble: () => (worker.healthy() ? undefined : 'takes no jobs'),
    stop: async () => {
      await Promise.all([timers.stop(), worker.stop()])
    },
  }
}
