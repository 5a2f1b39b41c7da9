import pg from 'pg'
import { pgAddress } from '../postgres/database-url.ts'

export type PoolOptions = {
  readonly databaseUrl: string
  readonly max: number
}

/** The connection pool for one run of graphile-worker, which supports only `pg`. */
export const openPool = ({ databaseUrl, max }: PoolOptions): pg.Pool => {
  const pool = new pg.Pool({
    ...pgAddress(databaseUrl),
    application_name: 'paymachine worker',
    max,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    // A statement without an answer would hold the lock on its job for as long as the network path is broken.
    query_timeout: 10_000,
  })
  // A lost connection rejects its pending query. It also emits an error event, and an error event without a listener
  // would end the process.
  pool.on('connect', client => client.on('error', () => {}))
  pool.on('error', () => {})
  const connect = pool.connect.bind(pool)
  return Object.assign(pool, {
    connect: (callback?: Connected) => (callback ? connect(releasedOnce(callback)) : connect()),
  })
}

type Connected = Parameters<pg.Pool['connect']>[0]

/**
 * Ignores a second release. graphile-worker releases its LISTEN connection twice if it is lost while a run ends. The
 * second release would be an unhandled rejection, which ends the process.
 */
const releasedOnce =
  (callback: Connected): Connected =>
  (error, client, release) => {
    let unreleased: typeof release | undefined = release
    callback(error, client, cause => {
      const releaseNow = unreleased
      unreleased = undefined
      // A pool that has ended calls back without `release`.
      releaseNow?.(cause)
    })
  }
