import type { World } from '../../world.ts'

/** Payments ended at once. */
const MOST = 500

/**
 * Ends the windows that are over of payments that this chain is to pay: it has been read past their end, and they
 * know all that was read. An outage of the chain delays this and never invents an expiry, and keeps no payment of
 * another chain open; a chain whose clock is ahead ends nothing sooner than the database's. Money that comes on another
 * one than was picked is looked for before and after the end alike. Answers how many.
 */
export const endWindows = async (
  world: World,
  chainId: number,
  /** How far a chain's clock may be ahead and be believed: not at all, but in a test that will not wait. */
  aheadMs = 0,
): Promise<number> => {
  const scannedTo = world.sql`
    (select least(mined_at, now() + make_interval(secs => ${aheadMs / 1_000})) from chain_cursors where chain_id = ${chainId})`
  const over = await world.sql<Over[]>`
    select p.id, ${scannedTo} as scanned_to
    from payments p
    where chain_id = ${chainId} and state = 'pending'
      and expires_at < ${scannedTo}
      and not exists (select from unsettled_payments u where u.payment_id = p.id and not u.waits_for_end)
      -- Seen and not final keeps a payment open.
      and amount_final = amount_received
      -- What contracts have sent by then shows in the balance alone (coins/look.ts).
      and (token_address is not null or exists (
        select from coin_looks l
        where l.chain_id = p.chain_id and l.address = lower(p.address) and l.mined_at > p.expires_at))
    order by expires_at limit ${MOST}`
  return end(world, over)
}

/**
 * Ends those of payments that have no asset yet: no chain has an address of theirs to be read for, so the clock
 * of the database decides. A pick of the last moment is let finish before that.
 */
export const endUnpicked = async (world: World, lateMs = 2_000): Promise<number> => {
  const over = await world.sql<Over[]>`
    select id, now() as scanned_to from payments
    where chain_id is null and state = 'pending' and amount_final = amount_received
      and expires_at < now() - make_interval(secs => ${lateMs / 1_000})
    limit ${MOST}`
  return end(world, over)
}

type Over = { readonly id: string; readonly scanned_to: Date }

const end = async ({ actors }: World, over: readonly Over[]): Promise<number> => {
  const outcomes = await Promise.all(
    over.map(({ id, scanned_to: scannedTo }) =>
      actors.dispatch({ kind: 'payment', actor: id, event: { type: 'window_over', scannedTo }, cause: 'window' }),
    ),
  )
  return outcomes.filter(({ ok }) => ok).length
}
