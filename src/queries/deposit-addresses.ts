import type { Sql } from '../postgres/connect.ts'

/** Whether one of these was ever given out for a payment, of whatever merchant. */
export const isAnyGivenOut = async (sql: Sql, addresses: readonly string[]): Promise<boolean> => {
  const lower = addresses.map(address => address.toLowerCase())
  const [row] = await sql<[{ is: boolean }]>`
    select exists (select from deposit_addresses where address = any(${lower}::text[])) as is`
  return row.is
}
