import type { Sql } from '../../../postgres/connect.ts'
import { type Cursor, findOurs, type TransferLog } from '../books.ts'
import type { SentSource } from './sent-source.ts'

/** The coins that transactions in these blocks brought to addresses of ours. Undefined while the nodes do not tell. */
export const coinsIn = async (
  sql: Sql,
  source: SentSource,
  blocks: readonly Cursor[],
): Promise<readonly TransferLog[] | undefined> => {
  const sent = await source.sentIn(blocks)
  const ours = sent && (await toUs(sql, sent))
  return ours && source.succeeded(ours)
}

/**
 * Whether somebody is to pay in coins. While nobody is, no node is asked for them: a block with all its transactions is
 * a hundred times the size of its header, and what comes all the same shows in the balances (see look.ts). Asked after
 * the head was read: who has been shown an address by then has not paid in an earlier block.
 */
export const areAwaited = async (sql: Sql, chainId: number): Promise<boolean> => {
  const [row] = await sql<{ awaited: boolean }[]>`
    select exists (
      select from payments
      where chain_id = ${chainId} and token_address is null and state in ('pending', 'processing')
    ) or exists (
      select from payments
      where chain_id = ${chainId} and token_address is null and updated_at > now() - interval '1 hour'
    ) as awaited`
  return row?.awaited === true
}

const toUs = async (sql: Sql, sent: readonly TransferLog[]): Promise<readonly TransferLog[]> => {
  const ours = await findOurs(sql, [...new Set(sent.map(({ to }) => to))])
  return sent.filter(({ to }) => ours.has(to))
}
