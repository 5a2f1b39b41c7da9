import type { Sql } from '../../postgres/connect.ts'

/** With more addresses, the filters take more requests than the receipts of a whole block. */
const MAX_RECIPIENTS = 1_000

/** All addresses that token transfers are recorded for; undefined where there are too many to name them in a filter. */
export const findRecipients = async (sql: Sql): Promise<readonly string[] | undefined> => {
  const rows = await sql<{ address: string }[]>`
    (select address from deposit_addresses limit ${MAX_RECIPIENTS + 1})
    union
    (select to_address from refund_destinations where token_address is not null limit ${MAX_RECIPIENTS + 1})`
  return rows.length > MAX_RECIPIENTS ? undefined : rows.map(({ address }) => address)
}
