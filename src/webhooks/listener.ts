import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Dependencies } from '../dependencies.ts'
import { pgAddress } from '../postgres/database-url.ts'

export type ListenerOptions = Pick<Dependencies, 'log'> & {
  readonly databaseUrl: string
  /**
   * Called with endpoints that have new deliveries; undefined if they are too many for one notification, or unknown.
   */
  readonly onNotify: (endpointIds: readonly string[] | undefined) => void
}

/** The pause before a lost connection is opened again. */
const RECONNECT_MS = 1_000

/**
 * Listens for the NOTIFY of the trigger that creates deliveries, also in other processes. A job per commit instead
 * would cost the database as much as the deliveries themselves. A lost notification only causes a delay: the sender
 * polls too.
 */
export const openListener = ({ databaseUrl, onNotify, log }: ListenerOptions) => {
  const stopping = new AbortController()
  const { signal } = stopping
  let closeConnection = () => {}

  /** Listens on one connection until it ends. */
  const listen = async (): Promise<void> => {
    const client = new pg.Client({
      ...pgAddress(databaseUrl),
      application_name: 'paymachine webhooks',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    })
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    closeConnection = end
    client.on('error', () => end())
    client.on('end', end)
    client.on('notification', ({ payload }) => onNotify(payload ? payload.split(',') : undefined))
    try {
      await client.connect()
      await client.query('listen deliveries')
      await ended
    } finally {
      // With a time limit, because on a broken network path it would wait forever.
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
      // Notifications were missed while there was no connection.
      onNotify(undefined)
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()

  return {
    stop: async (): Promise<void> => {
      stopping.abort()
      closeConnection()
      await running
    },
  }
}
