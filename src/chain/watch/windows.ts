import type { Sql } from '../../postgres/connect.ts'
import type { World } from '../../world.ts'

/** Payments ended at once. */
const MOST = 500

/**
 * Ends the windows that are over: of payments whose every possible chain has been read past their end, and
 * that know all that was read. An outage of a chain delays this and never invents an expiry. Answers how many.
 */
export const endWindows = async ({ sql, actors }: World, chainIds: readonly number[], livemode: boolean) => {
  const scannedTo = await scannedBy(sql, chainIds)
  if (!scannedTo) return 0
  const over = await sql<{ id: string }[]>`
    select id from payments p
    where state = 'pending' and livemode = ${livemode} and expires_at < ${scannedTo}
      and not exists (select from unsettled_payments u where u.payment_id = p.id and not u.waits_for_end)
      -- Seen and not final keeps a payment open.
      and amount_final = amount_received
    order by expires_at limit ${MOST}`
  await Promise.all(
    over.map(({ id }) =>
      actors.dispatch({
        kind: 'payment',
        actor: id,
        event: { type: 'window_over', scannedTo },
        cause: 'window',
      }),
    ),
  )
  return over.length
}

/** The moment up to which all of these chains have been read; undefined while one has not begun. */
const scannedBy = async (sql: Sql, chainIds: readonly number[]): Promise<Date | undefined> => {
  const [row] = await sql<{ to: Date | null; begun: number }[]>`
    select min(mined_at) as to, count(*)::integer as begun from chain_cursors where chain_id = any(${[...chainIds]}::bigint[])`
  return row && row.begun === chainIds.length && row.to ? row.to : undefined
}
