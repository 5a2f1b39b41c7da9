import { uuidv7 } from '../../../ids.ts'
import type { Sql } from '../../../postgres/connect.ts'

/** Addresses in a page, which is one call. */
export const PAGE_SIZE = 700

/**
 * Addresses of payments that wait for native currency on this chain and must be checked: those never checked, not for
 * `everyMs`, not since the end of the window (a window does not end before), or not since the block of a submitted
 * transaction.
 */
export const findDue = async (sql: Sql, chainId: number, everyMs: number): Promise<readonly string[]> => {
  const rows = await sql<{ address: string }[]>`
    select d.address
    from payments p
    join chain_cursors c on c.chain_id = p.chain_id
    join deposit_addresses d on d.address = lower(p.address)
    left join lateral (
      select block_number, mined_at, looked_at from native_balances
      where chain_id = p.chain_id and address = d.address order by block_number desc limit 1) l on true
    where p.chain_id = ${chainId} and p.token_address is null and p.state in ('pending', 'processing')
      and (l.block_number is null
        or l.block_number < c.number
          and (l.looked_at < now() - make_interval(secs => ${everyMs / 1_000})
            or p.expires_at >= l.mined_at and p.expires_at < c.mined_at
            or exists (
              select from submissions s
              where s.payment_id = p.id and s.block_number > l.block_number and s.block_number <= c.number)))
    order by p.expires_at limit ${PAGE_SIZE}`
  return rows.map(({ address }) => address)
}

/** The position of a walk through all addresses. */
export type AddressCursor = { readonly paymentId: string; readonly treasury: string }

/** The position before the addresses of payments opened since this time. */
export const positionAt = (at: Date): AddressCursor => ({ paymentId: uuidv7(at, bytes => bytes.fill(0)), treasury: '' })

/** The next page of addresses and its position; undefined after the last one. */
export const nextPage = async (
  sql: Sql,
  { paymentId, treasury }: AddressCursor,
): Promise<{ readonly addresses: readonly string[]; readonly next: AddressCursor } | undefined> => {
  const rows = await sql<{ address: string; payment_id: string; treasury: string }[]>`
    select address, payment_id, treasury from deposit_addresses
    where (payment_id, treasury) > (${paymentId}, ${treasury}) order by payment_id, treasury limit ${PAGE_SIZE}`
  const last = rows.at(-1)
  return (
    last && {
      addresses: rows.map(({ address }) => address),
      next: { paymentId: last.payment_id, treasury: last.treasury },
    }
  )
}

/** Addresses of a payment that were not checked on this chain for so long. */
export const addressesOf = async (
  sql: Sql,
  chainId: number,
  paymentId: string,
  sinceMs: number,
): Promise<readonly string[]> => {
  const rows = await sql<{ address: string }[]>`
    select address from deposit_addresses d
    where payment_id = ${paymentId} and not exists (
      select from native_balances l
      where l.chain_id = ${chainId} and l.address = d.address
        and l.looked_at > now() - make_interval(secs => ${sinceMs / 1_000}))`
  return rows.map(({ address }) => address)
}
