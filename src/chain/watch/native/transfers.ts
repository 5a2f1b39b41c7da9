import type { Sql } from '../../../postgres/connect.ts'
import type { Cursor, TransferLog } from '../../chain-log.ts'
import type { NativeTransferSource } from './transfer-source.ts'

/**
 * The native currency that transactions of these blocks sent to deposit addresses or to destinations of refunds.
 * Undefined while the nodes do not answer.
 */
export const nativeTransfersIn = async (
  sql: Sql,
  chainId: number,
  source: NativeTransferSource,
  blocks: readonly Cursor[],
): Promise<readonly TransferLog[] | undefined> => {
  const sent = await source.sentIn(blocks)
  const concerning = sent && (await concerningUs(sql, chainId, sent))
  return concerning && source.succeeded(concerning)
}

/**
 * Whether native currency is expected: by a payment, or for a refund that a merchant signs by hand, for as long as that
 * is pending and one hour more, since a signed transaction may be mined after the refund was canceled or paid
 * otherwise. While none is expected, full blocks are not read: they are a hundred times the size of their headers, and
 * other transfers show in the balances (see check-balances.ts). Called after the blocks are known: an address shown
 * after that has not been paid in them.
 */
export const isNativeAwaited = async (sql: Sql, chainId: number): Promise<boolean> => {
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
  // A refund may go to an exchange, where most transfers belong to others: only those of the refund's amount are
  // recorded.
  const rows = await sql<{ address: string; amount: string | null }[]>`
    select address, null as amount from deposit_addresses where address = any(${addresses}::text[])
    union all
    select to_address, amount::text from refund_destinations
    where chain_id = ${chainId} and to_address = any(${addresses}::text[]) and token_address is null`
  const ours = new Set(rows.map(({ address, amount }) => keyOf(address, amount)))
  return sent.filter(({ to, amount }) => ours.has(keyOf(to, null)) || ours.has(keyOf(to, amount)))
}

/** Without an amount, the key matches every transfer to the address. */
const keyOf = (address: string, amount: string | bigint | null): string => `${address} ${amount ?? ''}`
