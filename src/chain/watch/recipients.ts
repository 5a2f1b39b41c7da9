import type { Sql } from '../../postgres/connect.ts'

/** More addresses than these take more questions than the receipts of a whole block. */
const MOST = 1_000

/** Every address that tokens may be sent to for us, as nodes are asked for them; undefined where there are too many. */
export const findRecipients = async (sql: Sql): Promise<readonly string[] | undefined> => {
  const rows = await sql<{ address: string }[]>`
    (select address from deposit_addresses limit ${MOST + 1})
    union
    (select to_address from refund_destinations where token_address is not null limit ${MOST + 1})`
  return rows.length > MOST ? undefined : rows.map(({ address }) => address)
}
