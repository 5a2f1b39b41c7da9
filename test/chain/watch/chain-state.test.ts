import { expect, test } from 'bun:test'
import type { Cursor } from '../../../src/chain/chain-log.ts'
import {
  finalizeBlocks,
  findCursor,
  isMovedCursor,
  recordBlocks,
  recordFinalRange,
  rewindBlocks,
  startChainState,
} from '../../../src/chain/watch/chain-state.ts'
import { deepenPayments } from '../../../src/chain/watch/depth.ts'
import { connect, type Sql } from '../../../src/postgres/connect.ts'
import { database } from '../../harness/database.ts'
import { until } from '../../harness/until.ts'
import { hashOf, SENDER, TOKEN } from './ledger.ts'

/** The payment need not exist. */
const issueAddress = async (sql: Sql, name: string) => {
  const paymentId = crypto.randomUUID()
  const address = hashOf('address', name).slice(0, 42)
  await sql`
    insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
    values (${address}, ${paymentId}, ${crypto.randomUUID()}, ${TOKEN}, 0)`
  return { address, paymentId }
}

const begin = async (sql: Sql, chainId: number): Promise<Cursor> => {
  const block = { number: 100, hash: hashOf(chainId, 100), minedAt: new Date() }
  await startChainState(sql, chainId, block)
  return block
}

/** The second block, with a transfer of an amount. */
const blockWith = (chainId: number, to: string, amount = 7n) => {
  const place = { blockNumber: 101, blockHash: hashOf(chainId, 101) }
  const log = { txHash: hashOf('tx', chainId), logIndex: 0, ...place, token: TOKEN, from: SENDER, to, amount }
  return { blocks: [{ number: 101, hash: place.blockHash, minedAt: new Date() }], logs: [log] }
}

test('two chains that record transfers to the same payments wait for each other without a deadlock', async () => {
  await using db = await database()
  const [first, second] = [await issueAddress(db.sql, 'first'), await issueAddress(db.sql, 'second')]
  const one = await begin(db.sql, 1)
  await begin(db.sql, 2)
  // They are paid on one chain, and waited for a block of the other one.
  await db.sql`
    insert into deeper_payments (payment_id, chain_id, number)
    values (${first.paymentId}, 2, 100), (${second.paymentId}, 2, 100)`
  await using holder = { sql: connect(db.url, { max: 1 }), [Symbol.asyncDispose]: () => holder.sql.end() }
  // Blocks the first chain's transaction before it is known whether the transfer is recorded already.
  await holder.sql.unsafe(`
    begin;
    insert into transfers (chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, to_address, amount, state)
    values (1, '${hashOf('tx', 1)}', 0, 90, '${hashOf(1, 90)}', now(), '${first.paymentId}', '${first.address}', 7, 'seen')`)
  const [block, other] = [blockWith(1, first.address), blockWith(1, second.address)]
  const logs = [...block.logs, ...other.logs.map(log => ({ ...log, logIndex: 1 }))]
  const blocked = recordBlocks(db.sql, 1, one, { ...block, logs })
  const isHeld = async () => {
    const [row] = await db.sql<{ waiting: number }[]>`
      select count(*)::integer as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return row?.waiting === 1
  }
  await until(isHeld)
  const inParallel = deepenPayments(db.sql, { id: 2 }, { agreedHead: async () => 100 })
  const outcome = Promise.all([blocked, inParallel])
  await Promise.race([inParallel, until(async () => !(await isHeld()))])
  await holder.sql.unsafe('rollback')
  expect(await outcome).toEqual([2, 2])
  const unsettled = await db.sql<{ payment_id: string }[]>`select payment_id from unsettled_payments`
  expect(unsettled.map(({ payment_id }) => payment_id).sort()).toEqual([first.paymentId, second.paymentId].sort())
})

test('transfers to one payment on two chains at the same height are recorded without a conflict', async () => {
  await using db = await database()
  const { address, paymentId } = await issueAddress(db.sql, 'only')
  const [one, two] = [await begin(db.sql, 1), await begin(db.sql, 2)]
  const first = blockWith(1, address)
  const second = blockWith(2, address, 5n)
  await recordBlocks(db.sql, 2, two, second)
  await using holder = { sql: connect(db.url, { max: 1 }), [Symbol.asyncDispose]: () => holder.sql.end() }
  // The transaction of the first chain has written its transfer and is not committed yet.
  await holder.sql.unsafe('begin')
  await recordBlocks(holder.sql, 1, one, first)
  const cursor = await findCursor(db.sql, 2)
  if (!cursor) throw new Error('chain 2 has no cursor')
  const finalized = finalizeBlocks(db.sql, 2, cursor, { upTo: 101, logs: second.logs }).catch(error => error)
  const isHeld = async () => {
    const [row] = await db.sql<{ waiting: number }[]>`
      select count(*)::integer as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return row?.waiting === 1
  }
  const isDone = finalized.then(() => true)
  await until(async () => (await isHeld()) || (await Promise.race([isDone, Bun.sleep(1)])) === true)
  await holder.sql.unsafe('commit')
  const outcome = await finalized
  const sums = await db.sql<{ chain: string; amount: string; state: string }[]>`
    select chain_id::text as chain, amount::text, state from transfer_sums where payment_id = ${paymentId} order by chain_id`
  expect([outcome, ...sums]).toEqual([
    1,
    { chain: '1', amount: '7', state: 'seen' },
    { chain: '2', amount: '5', state: 'final' },
  ])
})

test('a transfer that returns after a reorg is recorded as reported then', async () => {
  await using db = await database()
  const { address } = await issueAddress(db.sql, 'only')
  const cursor = await begin(db.sql, 1)
  const wrongSender = blockWith(1, address, 1_000n)
  await recordBlocks(db.sql, 1, cursor, wrongSender)
  await rewindBlocks(db.sql, 1, { number: 101, hash: wrongSender.blocks[0]?.hash ?? '' }, 100)
  expect(await recordFinalRange(db.sql, 1, cursor, blockWith(1, address, 7n))).toBe(1)
  const found = await db.sql<{ amount: string; state: string }[]>`select amount::text, state from transfers`
  expect([...found]).toEqual([{ amount: '7', state: 'final' }])
  const waiting = await db.sql<
    { address: string; last_block: number }[]
  >`select address, last_block::integer from waiting_addresses`
  expect([...waiting]).toEqual([{ address, last_block: 101 }])
})

test.each<[string, (sql: Sql, from: Cursor) => Promise<number>]>([
  ['recorded', (sql, from) => recordBlocks(sql, 1, from, blockWith(1, TOKEN))],
  ['caught up with', (sql, from) => recordFinalRange(sql, 1, from, blockWith(1, TOKEN))],
  ['rewound', (sql, from) => rewindBlocks(sql, 1, from, 100)],
  ['made final', (sql, from) => finalizeBlocks(sql, 1, { ...from, step: 1 }, { upTo: 100, logs: [] })],
])('nothing is %s from a cursor with another block hash', async (_, write) => {
  await using db = await database()
  const at = await begin(db.sql, 1)
  const before = await findCursor(db.sql, 1)
  const refused = write(db.sql, { number: at.number, hash: hashOf('another branch') })
  expect(await refused.then(() => false, isMovedCursor)).toBe(true)
  expect(await findCursor(db.sql, 1)).toEqual(before)
  await write(db.sql, at)
  expect((await findCursor(db.sql, 1))?.step).toBe(2)
})
