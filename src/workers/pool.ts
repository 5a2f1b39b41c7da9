import pg from 'pg'
import { libpqUrl } from '../postgres/libpq-url.ts'

export type PoolOptions = {
  readonly databaseUrl: string
  readonly max: number
}

/** Connections for one life of graphile-worker, which speaks to `pg` and to nothing else. */
export const openPool = ({ databaseUrl, max }: PoolOptions): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: libpqUrl(databaseUrl),
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
  return pool
}
