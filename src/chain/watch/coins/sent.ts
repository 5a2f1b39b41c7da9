import type { Sql } from '../../../postgres/connect.ts'
import type { Cursor, TransferLog } from '../../chain-log.ts'
import type { SentSource } from './sent-source.ts'

/**
 * The coins that transactions in these blocks brought to addresses of ours, or to where a refund goes. Undefined while
 * the nodes do not tell.
 */
export const coinsIn = async (
  sql: Sql,
  chainId: number,
  source: SentSource,
  blocks: readonly Cursor[],
): Promise<readonly TransferLog[] | undefined> => {
  const sent = await source.sentIn(blocks)
  const concerning = sent && (await concerningUs(sql, chainId, sent))
  return concerning && source.succeeded(concerning)
}

/**
 * Whether somebody is to pay in coins: a customer, or a merchant who signs a refund by hand, for as long as that waits
 * and an hour more: what was signed may be mined after the refund was canceled, or beside what it was paid with. While
 * nobody is, no node is asked for them: a block with all its transactions is a hundred times the size of its header, and
 * what comes to us all the same shows in the balances (see look.ts). Asked after the blocks were known: who has been
 * shown by then what to pay has not paid in any of them.
 */
export const areAwaited = async (sql: Sql, chainId: number): Promise<boolean> => {
  const [row] = await sql<{ awaited: boolean }[]>`
    select exists (
      select from payments
      where chain_id = ${chainId} and token_address is null and state in ('pending', 'processing')
    ) or exists (
      select from payments
      where chain_id = ${chainId} and token_address is null and updated_at > now() - interval '1 hour'
    ) or is_native_signed_by_hand(${chainId}) or exists (
      select from refund_destinations where chain_id = ${chainId} and native_until > now()
    ) as awaited`
  return row?.awaited === true
}

const concerningUs = async (
  sql: Sql,
  chainId: number,
  sent: readonly TransferLog[],
): Promise<readonly TransferLog[]> => {
  const addresses = [...new Set(sent.map(({ to }) => to))]
  // Refunds go to exchanges too, where most of what comes is none: of theirs, just what one is to be paid with.
  const rows = await sql<{ address: string; amount: string | null }[]>`
    select address, null as amount from deposit_addresses where address = any(${addresses}::text[])
    union all
    select to_address, amount::text from refund_destinations
    where chain_id = ${chainId} and to_address = any(${addresses}::text[]) and token_address is null`
  const ours = new Set(rows.map(({ address, amount }) => keyOf(address, amount)))
  return sent.filter(({ to, amount }) => ours.has(keyOf(to, null)) || ours.has(keyOf(to, amount)))
}

/** Without an amount: whatever comes there. */
const keyOf = (address: string, amount: string | bigint | null): string => `${address} ${amount ?? ''}`
