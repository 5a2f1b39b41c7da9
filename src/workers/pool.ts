import pg from 'pg'
import { pgAddress } from '../postgres/database-url.ts'

export type PoolOptions = {
  readonly databaseUrl: string
  readonly max: number
}

/** Connections for one life of graphile-worker, which speaks to `pg` and to nothing else. */
export const openPool = ({ databaseUrl, max }: PoolOptions): pg.Pool => {
  const pool = new pg.Pool({
    ...pgAddress(databaseUrl),
    application_name: 'paymachine worker',
    max,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    // A statement nobody answers would hold the lock on its job for as long as the path is broken.
    query_timeout: 10_000,
  })
  // A connection that is lost tells whoever waits for it to answer. That it is lost is also an event,
  // and an error event that nobody listens to ends the process.
  pool.on('connect', client => client.on('error', () => {}))
  pool.on('error', () => {})
  const connect = pool.connect.bind(pool)
  return Object.assign(pool, {
    connect: (callback?: Connected) => (callback ? connect(forgiving(callback)) : connect()),
  })
}

type Connected = Parameters<pg.Pool['connect']>[0]

/**
 * graphile-worker gives back the connection that it listens by twice when that is lost while a life ends. The second
 * time would be an error in a promise that nobody has, and that ends the process.
 */
const forgiving =
  (callback: Connected): Connected =>
  (error, client, release) => {
    let left: typeof release | undefined = release
    callback(error, client, cause => {
      const giveBack = left
      left = undefined
      // A pool that has ended answers with an error alone.
      giveBack?.(cause)
    })
  }
