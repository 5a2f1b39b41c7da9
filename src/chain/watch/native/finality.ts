import type { Sql } from '../../../postgres/connect.ts'
import type { TransferLog } from '../../chain-log.ts'
import { BY_BALANCE } from './explain.ts'
import type { NativeSource } from './source.ts'

/**
 * The seen transfers of native currency up to a block that two nodes confirm. Undefined while they do not agree: then
 * nothing becomes final.
 */
export const agreedNativeTransfers = async (
  sql: Sql,
  chainId: number,
  source: NativeSource,
  upTo: number,
): Promise<readonly TransferLog[] | undefined> => {
  const seen = await findSeen(sql, chainId, upTo)
  const sent = await source.agreedSent(seen.filter(({ logIndex }) => logIndex !== BY_BALANCE))
  const risen =
    sent &&
    (await agreedRises(
      source,
      seen.filter(({ logIndex }) => logIndex === BY_BALANCE),
    ))
  return risen && [...sent, ...risen]
}

/**
 * Two nodes agreed on the balances and the block hash when a rise was recorded. Where the state is pruned now, it is
 * enough that they still have the block.
 */
const agreedRises = async (
  source: NativeSource,
  risen: readonly Seen[],
): Promise<readonly TransferLog[] | undefined> => {
  const wanted = risen.map(({ to, blockNumber, blockHash }) => ({
    address: to,
    block: { number: blockNumber, hash: blockHash },
  }))
  const balances = await source.agreedBalances(wanted)
  return (
    balances &&
    risen.filter(({ balance }, at) => balance !== null && (balances[at] === false || balances[at] === balance))
  )
}

/** `balance`: the recorded balance of the address after the block of a rise. */
type Seen = TransferLog & { readonly balance: bigint | null }

const findSeen = async (sql: Sql, chainId: number, upTo: number): Promise<readonly Seen[]> => {
  const rows = await sql<Row[]>`
    select t.tx_hash, t.log_index, t.block_number, t.block_hash, t.from_address, t.to_address, t.amount, l.balance
    from transfers t
    left join native_balances l on l.chain_id = t.chain_id and l.address = t.to_address and l.block_number = t.block_number
    where t.chain_id = ${chainId} and t.state = 'seen' and t.token_address is null and t.block_number <= ${upTo}`
  return rows.map(row => ({
    ...{
      txHash: row.tx_hash,
      logIndex: row.log_index,
      blockNumber: Number(row.block_number),
      blockHash: row.block_hash,
    },
    ...{ token: null, from: row.from_address, to: row.to_address, amount: BigInt(row.amount) },
    balance: row.balance === null ? null : BigInt(row.balance),
  }))
}

type Row = {
  readonly tx_hash: string
  readonly log_index: number
  readonly block_number: string
  readonly block_hash: string
  readonly from_address: string | null
  readonly to_address: string
  readonly amount: string
  readonly balance: string | null
}
