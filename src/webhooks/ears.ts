import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Outside } from '../outside.ts'
import { pgAddress } from '../postgres/database-url.ts'

export type EarsOptions = Pick<Outside, 'log'> & {
  readonly databaseUrl: string
  /** These endpoints, or none where a commit was for more than its notice can name. */
  readonly heard: (endpointIds: readonly string[] | undefined) => void
}

/** How long to be deaf before listening again. */
const PAUSE_MS = 1_000

/**
 * Hears of deliveries that others commit, from the trigger that makes them: a job for each commit would cost the
 * database as much again as the deliveries. Whoever hears nothing, for whatever reason, is later and no more:
 * the sender looks for itself.
 */
export const openEars = ({ databaseUrl, heard, log }: EarsOptions) => {
  const stopping = new AbortController()
  const { signal } = stopping
  let hangUp = () => {}

  /** One connection for as long as it lasts. */
  const listen = async (): Promise<void> => {
    const client = new pg.Client({
      ...pgAddress(databaseUrl),
      application_name: 'paymachine webhooks',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    })
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    hangUp = end
    client.on('error', () => end())
    client.on('end', end)
    client.on('notification', ({ payload }) => heard(payload ? payload.split(',') : undefined))
    try {
      await client.connect()
      await client.query('listen deliveries')
      await ended
    } finally {
      // Where the path to it is broken it would wait for ever.
      await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })])
    }
  }

  const run = async (): Promise<void> => {
    for (let failed = false; !signal.aborted; ) {
      try {
        await listen()
        failed = false
      } catch (err) {
        if (!failed && !signal.aborted) log.warn({ err }, 'webhook LISTEN connection failed, reconnecting')
        failed = true
      }
      // What was committed meanwhile, nobody has told.
      heard(undefined)
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()

  return {
    stop: async (): Promise<void> => {
      stopping.abort()
      hangUp()
      await running
    },
  }
}
