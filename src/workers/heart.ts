import { setTimeout as sleep } from 'node:timers/promises'
import type { Outside } from '../outside.ts'
import { connect } from '../postgres/connect.ts'
import { faultOf } from './job-log.ts'
import {
  beatWorker,
  endWorkers,
  findStrangers,
  freeStrangers,
  reapWorkers,
  registerWorker,
  type WorkerRow,
} from './queries.ts'
import { openSilence } from './silence.ts'
import type { Watchdog } from './watchdog.ts'

export type HeartOptions = {
  readonly databaseUrl: string
  readonly watchdog: Watchdog
  readonly beatMs: number
  /** Who has not beaten for so long is dead. */
  readonly silentMs: number
}

/**
 * Beats for this process's worker, and buries the others' dead. It has a connection of its own: a pool
 * that tasks have used up must not make a living worker look dead. All it says to the database goes
 * one after the other, and under the eyes of the watchdog.
 */
export const openHeart = ({ log }: Outside, { databaseUrl, watchdog, beatMs, silentMs }: HeartOptions) => {
  const sql = connect(databaseUrl, { max: 1, name: 'paymachine heart' })
  const stopping = new AbortController()
  const silence = openSilence({ silentMs, gapMs: beatMs * 5 })
  const strangers = openStrangers()
  const unburied = new Set<string>()
  let own: { readonly id: string; readonly reap: (cause: unknown) => void } | undefined
  let ids: readonly string[] = []
  let beatAt = Number.NEGATIVE_INFINITY

  /** Gives a worker its identity; `reaped` settles when it has lost it again. */
  const begin = async (row: WorkerRow) => {
    await bury()
    await watchdog.watch(registerWorker(sql, row))
    const { promise: reaped, resolve: reap } = Promise.withResolvers<unknown>()
    own = { id: row.id, reap }
    beatAt = performance.now()
    return { reaped }
  }

  /** Takes it back, and frees the jobs it still holds. What cannot be done now is done before the next begins. */
  const end = async (id: string): Promise<void> => {
    own = undefined
    unburied.add(id)
    await Promise.race([bury(), sleep(3_000, undefined, { ref: false })]).catch(error =>
      log.warn({ worker: id, fault: faultOf(error) }, 'worker not deregistered, retrying'),
    )
  }

  const bury = async (): Promise<void> => {
    const dead = [...unburied]
    if (dead.length === 0) return
    await watchdog.watch(endWorkers(sql, dead))
    for (const id of dead) unburied.delete(id)
  }

  const beat = async (): Promise<void> => {
    const me = own
    const askedAt = performance.now()
    const workers = await watchdog.watch(beatWorker(sql, me?.id ?? null))
    beatAt = performance.now()
    ids = workers.map(({ id }) => id).sort()
    if (me && !workers.some(worker => worker.own)) me.reap(new Error('the others took this worker for dead'))
    const silent = silence.look(workers, askedAt, beatAt)
    if (silent.length > 0) {
      const dead = await watchdog.watch(reapWorkers(sql, silent))
      if (dead.length > 0) log.warn({ workers: dead }, 'dead workers deregistered, their jobs released')
    }
    // One process is enough to look, and all of them agree on who is first.
    if (me && ids[0] === me.id && strangers.due()) await freeHeldByNobody()
  }

  const freeHeldByNobody = async (): Promise<void> => {
    const held = strangers.seenTwice(await watchdog.watch(findStrangers(sql)))
    if (held.length === 0) return
    await watchdog.watch(freeStrangers(sql, held))
    log.warn({ workers: held }, 'jobs of unknown workers released')
  }

  const beating = (async () => {
    let faulty = false
    while (!stopping.signal.aborted) {
      try {
        await beat()
        if (faulty) log.info('worker heartbeat resumed')
        faulty = false
      } catch (error) {
        if (!faulty) log.warn({ fault: faultOf(error) }, 'worker heartbeat failed, retrying')
        faulty = true
      }
      await sleep(beatMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()

  return {
    begin,
    end,
    beats: () => own !== undefined && performance.now() - beatAt < silentMs,
    share: () => ({ position: own ? ids.indexOf(own.id) : -1, count: ids.length }),
    stop: async () => {
      stopping.abort()
      await Promise.race([beating, sleep(1_000, undefined, { ref: false })])
      await sql.end({ timeout: 0 })
    },
  }
}

/** A job can be held by nobody: its worker was killed before it was on the list, or fetched it after its end. */
const openStrangers = () => {
  let suspects: ReadonlySet<string> = new Set()
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    due: () => performance.now() - lookedAt > 5_000,
    /** A worker that is just starting holds jobs a moment before it is on the list. */
    seenTwice: (strangers: readonly string[]): string[] => {
      const again = strangers.filter(id => suspects.has(id))
      suspects = new Set(strangers)
      lookedAt = performance.now()
      return again
    },
  }
}
