import type { Hex } from 'viem'
import { requireAddress } from '../../chain/address.ts'
import { readHoldings } from '../../chain/collect/holdings.ts'
import type { Range } from '../../chain/rpc/log.ts'
import { openLogRanges } from '../../chain/rpc/log-ranges.ts'
import { type Rpc, resultOf } from '../../chain/rpc/rpc.ts'
import { TRANSFER, tokenTransferIn, topicOf } from '../../chain/watch/transfer-log.ts'
import type { Sql } from '../../postgres/connect.ts'
import { getAgreed } from './agreed.ts'
import type { Compared } from './compared.ts'

const ADDRESSES_AT_ONCE = 500

/**
 * The balance of an address that was never collected is the sum of its transfers. For a collected address, the logs of
 * the tokens show what it received. Native currency has no logs: a collected address holds at most what it received.
 */
export async function* findBalances(sql: Sql, compared: Compared): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const rows = await expectedAfter(sql, compared, after)
    const end = rows.at(-1)
    if (!end) return
    after = end.address
    yield* differing(compared, rows)
  }
}

type Expected = {
  readonly address: Hex
  /** By token; native currency has an empty key. */
  readonly sums: Readonly<Record<string, string>>
}

/** Without addresses that were paid on a lost sandbox chain: that money no longer exists. */
const expectedAfter = (sql: Sql, { chain, final, lostBefore }: Compared, after: string): Promise<Expected[]> => sql<
  Expected[]
>`
  select d.address, (
    select coalesce(json_object_agg(token, total::text), '{}')
    from (
      select coalesce(token_address, '') as token, sum(amount) as total
      from transfers_of(d.payment_id) t
      where t.to_address = d.address and t.chain_id = ${chain.id} and t.state = 'final'
        and t.block_number <= ${final.number}
      group by 1) s) as sums
  from deposit_addresses d
  where d.address > ${after} and not exists (
    select from transfers_of(d.payment_id) t
    where t.chain_id = ${chain.id} and t.state = 'final' and t.mined_at < ${lostBefore ?? new Date(0)})
  order by d.address
  limit ${ADDRESSES_AT_ONCE}`

async function* differing(
  { chain, rpc, begunNumber, final }: Compared,
  rows: readonly Expected[],
): AsyncGenerator<string> {
  const tokens = chain.tokens.map(({ address }) => requireAddress(address))
  const at = { blockHash: final.hash }
  const addresses = rows.map(({ address }) => address)
  const holdings = await readHoldings(calls => getAgreedAnswers(rpc, calls), addresses, tokens, at)
  const collected = holdings.filter(({ deployed }) => deployed).map(({ address }) => address)
  const received = await readReceived(rpc, collected, tokens, { fromBlock: begunNumber, toBlock: final.number })
  for (const [n, { address, sums }] of rows.entries()) {
    const holding = holdings[n]
    if (!holding) continue
    const { native, deployed } = holding
    const expected = (token: string) => BigInt(sums[token] ?? '0')
    const nativeDiffers = deployed ? native > expected('') : native !== expected('')
    const tokensDiffer = tokens.some((token, index) => {
      const amount = deployed ? (received.get(`${address} ${token}`) ?? 0n) : holding.tokens[index]
      // A token that does not return a balance proves no difference.
      return amount !== undefined && amount !== expected(token)
    })
    if (nativeDiffers || tokensDiffer) yield address
  }
}

/** The received amounts in the logs of the tokens, by address and token. */
const readReceived = async (rpc: Rpc, addresses: readonly Hex[], tokens: readonly Hex[], range: Range) => {
  const received = new Map<string, bigint>()
  if (addresses.length === 0 || tokens.length === 0) return received
  const filter = { addresses: tokens, topics: [TRANSFER, null, addresses.map(topicOf)] }
  const ranges = openLogRanges((calls, read) => getAgreed(rpc, calls, read))
  for await (const { logs } of ranges(range, filter))
    for (const { to, token, amount } of logs.flatMap(log => tokenTransferIn(log) ?? [])) {
      const key = `${to} ${token}`
      received.set(key, (received.get(key) ?? 0n) + amount)
    }
  return received
}

/** The answers of the nodes, if they are equal. */
const getAgreedAnswers = (rpc: Rpc, calls: Parameters<Rpc['batch']>[0]): Promise<readonly string[]> =>
  getAgreed(rpc, calls, answers => answers.map(answer => String(resultOf(answer))))
