import type { Sql } from '../postgres/connect.ts'

/** Whether one of these is a deposit address, of any merchant. */
export const isAnyDepositAddress = async (sql: Sql, addresses: readonly string[]): Promise<boolean> => {
  const lower = addresses.map(address => address.toLowerCase())
  const [row] = await sql<[{ is: boolean }]>`
    select exists (select from deposit_addresses where address = any(${lower}::text[])) as is`
  return row.is
}
