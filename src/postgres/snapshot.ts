import { connect, type Sql } from './connect.ts'

/**
 * A read-only transaction on a connection of its own: all its statements see the database as it was at the first of them.
 * It has no transaction ID, so it does not hold back the readers of feeds, only vacuum.
 */
export type Snapshot = {
  readonly sql: Sql
  /** Throws if the connection was lost. Its statements fail. */
  requireOpen(): void
  /** Closes the connection, which releases the locks of the transaction. */
  end(): Promise<void>
}

export type SnapshotOptions = {
  readonly name: string
  /** Postgres ends the transaction if no statement arrives for so long: the process may be frozen, or its machine gone. */
  readonly idleMs: number
}

export const openSnapshot = async (url: string, { name, idleMs }: SnapshotOptions): Promise<Snapshot> => {
  let isLost = false
  const sql = connect(url, {
    ...{ max: 1, name, byIndex: true, answerS: ANSWER_S },
    session: {
      idle_in_transaction_session_timeout: idleMs,
      // Cursors are read to their end.
      cursor_tuple_fraction: 1,
    },
    onClose: () => {
      isLost = true
      // Otherwise the next statement would open another session, after a delay. If the pool ended before, the session stayed.
      void end()
    },
  })
  const end = () => sql.end({ timeout: 0 })
  try {
    // Allowed without `sql.begin`, because there is one connection.
    await sql.unsafe('begin isolation level repeatable read read only')
  } catch (error) {
    await end()
    throw error
  }
  return {
    sql,
    requireOpen: () => {
      if (isLost) throw new SnapshotLost()
    },
    end,
  }
}

export class SnapshotLost extends Error {
  override readonly name = 'SnapshotLost'
  override readonly message = 'the connection of the snapshot was lost'
}

/** Sorting millions of rows takes longer than other statements may. */
const ANSWER_S = 120
