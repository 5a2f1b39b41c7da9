import { expect, test } from 'bun:test'
import process from 'node:process'
import type { Cursor } from '../../../src/chain/chain-log.ts'
import { isNodeError } from '../../../src/chain/rpc/rpc.ts'
import { findCursor, isMovedCursor, recordFinalRange } from '../../../src/chain/watch/chain-state.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { forFile } from '../../harness/for-file.ts'
import { until } from '../../harness/until.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'
import {
  type AnswerChange,
  changedNode,
  type NodeCall,
  rateLimitedByCall,
  rateLimitedNode,
  refusal,
} from './test-node.ts'
import { startWatching } from './watcher.ts'

// Six hours of outage on a fast chain: `OUTAGE=full bun test test/chain/watch/catch-up.test.ts`.
const isFull = process.env.OUTAGE === 'full'
const [BLOCKS, TRANSFERS] = isFull ? [20_000, 500] : [3_000, 80]
const LONG_MS = isFull ? 300_000 : 60_000

const fixture = await forFile(openChainFixture())

const openedMany = async (count: number): Promise<readonly MadePayment[]> => {
  const many: MadePayment[] = []
  while (many.length < count)
    many.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - many.length) }, () => fixture.openPayment()))),
    )
  return many
}

/** The hash of a block that does not exist. */
const NOWHERE = `0x${'f'.repeat(64)}`

/** Mines so many blocks that the server does not read, some with a transfer to one of these payments. */
const outage = async (blocks: number, to: readonly MadePayment[]) => {
  const every = Math.floor(blocks / (to.length + 1))
  await fixture.chain.mine(every)
  for (const payment of to) {
    await fixture.chain.pay(payment.address, 1000n)
    await fixture.chain.mine(every)
  }
  await fixture.chain.mine(blocks - every * (to.length + 1))
}

/** Expects, after each step, that no block above the final one is missing. */
const expectWhole = async () => {
  const [gaps] = await fixture.sql<{ missing: number }[]>`
    select (number - final_number + 1 - (select count(*) from chain_blocks))::integer as missing from chain_cursors`
  expect(gaps?.missing).toBe(0)
}

/** Reads as a process that has just started. Returns the number of steps. */
const read = (source = fixture.sourceOf(fixture.chain.url)) => fixture.read(source, expectWhole)

const statesOf = async (many: readonly MadePayment[]): Promise<Readonly<Record<string, number>>> => {
  const rows = await fixture.sql<{ state: string; count: number }[]>`
    select state, count(*)::integer as count from payments
    where id in ${fixture.sql(many.map(({ actor }) => actor))} group by state`
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

const cursorNow = async (): Promise<Cursor> => {
  const cursor = await findCursor(fixture.sql, fixture.watched.id)
  if (!cursor) throw new Error('the chain has no cursor')
  return cursor
}

const isRange = ({ method, params: [where] }: NodeCall) =>
  method === 'eth_getLogs' && typeof where === 'object' && where !== null && 'fromBlock' in where

const widthOf = ({ params }: NodeCall): number => {
  const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
  return Number(toBlock) - Number(fromBlock) + 1
}

test(
  `an outage of ${BLOCKS} blocks with ${TRANSFERS} transfers loses none, and few blocks are requested`,
  async () => {
    const many = await openedMany(TRANSFERS)
    const started = performance.now()
    await outage(BLOCKS, many)
    const built = performance.now()
    let headers = 0
    await using node = await changedNode(fixture.chain.url, ({ method }, answer) => {
      if (method === 'eth_getBlockByNumber') headers++
      return answer
    })
    const steps = await read(fixture.sourceOf(node.url))
    const done = performance.now()
    expect(await statesOf(many)).toEqual({ success: TRANSFERS })
    expect((await findCursor(fixture.sql, fixture.watched.id))?.number).toBe(await fixture.head())
    // Requested are blocks with transfers, the last ones up to the head, and a few at the ends of each range.
    const quiet = 2 * Math.ceil(BLOCKS / TRANSFERS)
    expect(headers).toBeLessThan(TRANSFERS + 200 + CONFIRMATIONS + (10 + quiet) * steps)
    if (isFull) {
      const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(1)} s`
      console.log(`built in ${seconds(started, built)}, read in ${seconds(built, done)}, ${steps} steps`)
    }
  },
  LONG_MS,
)

test(
  'a watcher killed repeatedly while it catches up loses no transfer and counts none twice',
  async () => {
    const many = await openedMany(TRANSFERS)
    await outage(BLOCKS, many)
    for (let kills = 0; kills < 8; kills++) {
      await using watcher = await startWatching(fixture.databaseUrl, fixture.chain, CONFIRMATIONS)
      await Bun.sleep(5 + kills * 7)
      await watcher.kill()
    }
    await using _ = await startWatching(fixture.databaseUrl, fixture.chain, CONFIRMATIONS)
    await until(async () => (await statesOf(many)).success === TRANSFERS, { timeoutMs: 30_000 })
    const events = await fixture.sql<{ type: string; count: number }[]>`
      select type, count(*)::integer as count from events
      where actor in ${fixture.sql(many.map(({ actor }) => actor))} group by type order by type`
    expect(events.map(({ type, count }) => `${type} ${count}`)).toEqual([
      `payment.created ${TRANSFERS}`,
      `payment.processing ${TRANSFERS}`,
      `payment.succeeded ${TRANSFERS}`,
    ])
  },
  LONG_MS,
)

test('a transfer seen before the outage and removed by a reorg during it is orphaned', async () => {
  const [lost, kept] = [await fixture.openPayment(), await fixture.openPayment()]
  await fixture.chain.pay(kept.address, 1000n)
  await fixture.chain.mine()
  await fixture.chain.pay(lost.address, 1000n)
  await fixture.chain.mine(3)
  await read()
  expect(await statesOf([lost, kept])).toEqual({ processing: 2 })
  await fixture.chain.reorganize(3)
  await outage(600, [])
  await read()
  expect([await statesOf([lost]), await statesOf([kept])]).toEqual([{ pending: 1 }, { success: 1 }])
})

test('transfers that one of two nodes leaves out of a range are read block by block, and final when both report them', async () => {
  const many = await openedMany(4)
  await outage(800, many)
  const leavesOut: AnswerChange = (call, answer) => (isRange(call) && Array.isArray(answer) ? answer.slice(1) : answer)
  await using node = await changedNode(fixture.chain.url, leavesOut)
  await read(fixture.sourceOf(fixture.chain.url, node.url))
  expect((await findCursor(fixture.sql, fixture.watched.id))?.number).toBe(await fixture.head())
  expect(await statesOf(many)).toEqual({ processing: 4 })
  await read()
  expect(await statesOf(many)).toEqual({ success: 4 })
})

for (const [what, leave] of [
  ['no logs', () => []],
  ['only the first log', logs => logs.slice(0, 1)],
  ['only the last log', logs => logs.slice(-1)],
] as const satisfies [string, (logs: readonly unknown[]) => readonly unknown[]][])
  test(`no transfer is lost when the only node returns ${what} of a range`, async () => {
    const many = await openedMany(3)
    await outage(800, many)
    // As for blocks that it has not indexed yet. Queries by block hash are complete.
    const leavesOut: AnswerChange = (call, answer) => (isRange(call) && Array.isArray(answer) ? leave(answer) : answer)
    await using node = await changedNode(fixture.chain.url, leavesOut)
    await read(fixture.sourceOf(node.url))
    expect(await statesOf(many)).toEqual({ success: 3 })
  })

test('while one of two nodes is down, blocks are read from the other and none becomes final', async () => {
  const many = await openedMany(2)
  await outage(500, many)
  await expect(read(fixture.sourceOf(fixture.chain.url, 'http://127.0.0.1:9/'))).rejects.toThrow('unreachable')
  await fixture.settle()
  expect(await statesOf(many)).toEqual({ processing: 2 })
  await read()
  expect(await statesOf(many)).toEqual({ success: 2 })
})

test('a node that reports a head too high makes nothing final too early', async () => {
  await outage(500, [])
  const leading: AnswerChange = ({ method }, answer) =>
    method === 'eth_blockNumber' ? `0x${(Number(answer) + CONFIRMATIONS).toString(16)}` : answer
  await using node = await changedNode(fixture.chain.url, leading)
  const cursor = await cursorNow()
  const head = await fixture.head()
  const endOf = async (upTo: number, ...urls: string[]) =>
    (await fixture.sourceOf(...urls).finalRange(cursor, upTo, fixture.watched))?.end.number
  const final = head - CONFIRMATIONS + 1
  expect(await endOf(final, fixture.chain.url)).toBe(final)
  expect(await endOf(final + 1, fixture.chain.url)).toBeUndefined()
  expect(await endOf(final + 1, node.url)).toBe(final + 1)
  expect(await endOf(final + 1, node.url, fixture.chain.url)).toBeUndefined()
  expect(await endOf(final, node.url, fixture.chain.url)).toBe(final)
})

test('a range must follow the block at the cursor', async () => {
  await outage(400, [])
  const cursor = await cursorNow()
  const upTo = (await fixture.head()) - CONFIRMATIONS + 1
  const other = { ...cursor, hash: NOWHERE }
  expect(await fixture.sourceOf(fixture.chain.url).finalRange(other, upTo, fixture.watched)).toBeUndefined()
})

test('the logs of a range on which two nodes agree are not final in blocks on which they disagree', async () => {
  const many = await openedMany(1)
  await outage(500, many)
  const elsewhere: AnswerChange = (call, answer) =>
    isRange(call) && Array.isArray(answer) ? answer.map(log => ({ ...log, blockHash: NOWHERE })) : answer
  await using other = await changedNode(fixture.chain.url, elsewhere)
  await fixture.readThrough(elsewhere, [other.url])
  expect(await statesOf(many)).toEqual({ pending: 1 })
  await read()
  expect(await statesOf(many)).toEqual({ success: 1 })
})

test('recorded blocks that are not marked final are not skipped by a range', async () => {
  const many = await openedMany(1)
  await outage(4, many)
  await read()
  await outage(500, [])
  const cursor = await cursorNow()
  const range = await fixture.source.finalRange(cursor, (await fixture.head()) - CONFIRMATIONS + 1, fixture.watched)
  if (!range) throw new Error('there is no range')
  const passing = recordFinalRange(fixture.sql, fixture.watched.id, cursor, { blocks: [range.end], logs: range.logs })
  expect(await passing.then(() => false, isMovedCursor)).toBe(true)
  await read()
  expect(await statesOf(many)).toEqual({ success: 1 })
})

test('transfers in the first and last block of a range are found', async () => {
  const [first, last] = [await fixture.openPayment(), await fixture.openPayment()]
  await fixture.chain.pay(first.address, 1000n)
  await outage(500, [])
  await fixture.chain.pay(last.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await readNext(fixture.sql, fixture.watched, fixture.sourceOf(fixture.chain.url))
  await fixture.settle()
  expect(await statesOf([first, last])).toEqual({ success: 2 })
})

test('a range that a node refuses is read in halves', async () => {
  const many = await openedMany(4)
  await outage(1_200, many)
  let widest = 0
  await using node = await changedNode(fixture.chain.url, (call, answer) => {
    if (!isRange(call)) return answer
    if (widthOf(call) > 300) return refusal
    widest = Math.max(widest, widthOf(call))
    return answer
  })
  await read(fixture.sourceOf(node.url))
  expect(widest).toBeGreaterThan(100)
  expect(await statesOf(many)).toEqual({ success: 4 })
})

test('two processes that catch up in parallel record every block once', async () => {
  const many = await openedMany(6)
  await outage(5_000, many)
  const one = async () => {
    const source = fixture.sourceOf(fixture.chain.url)
    for (let idle = 0; idle < 3; )
      idle = (await readNext(fixture.sql, fixture.watched, source).catch(ignoreMoved)) === 'idle' ? idle + 1 : 0
  }
  await Promise.all([one(), one(), one()])
  await read()
  expect(await statesOf(many)).toEqual({ success: 6 })
})

/** Repeatedly, as the watcher does. */
const readOften = async (source: ChainSource, isDone: () => Promise<boolean>) => {
  const tried = async () => {
    await fixture.read(source).catch(error => {
      if (!isNodeError(error)) throw error
    })
    return isDone()
  }
  await until(tried, { timeoutMs: 40_000, everyMs: 500 })
}

test('blocks are confirmed by a node that answers seven calls of a batch and refuses the others', async () => {
  await fixture.chain.mine(60)
  const top = await fixture.head()
  const asked = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const place = `0x${(top - n).toString(16)}`
      const { hash } = await fixture.chain.rpc<{ hash: string }>('eth_getBlockByNumber', place, false)
      return { number: top - n, hash }
    }),
  )
  await using node = await changedNode(fixture.chain.url, (_, answer, at = 0) => (at < 7 ? answer : refusal))
  const agreed = await fixture.sourceOf(node.url).agreedBlocks(asked)
  expect(agreed?.map(({ number, hash }) => ({ number, hash }))).toEqual(asked)
})

const readByLimited = async (open = rateLimitedNode) => {
  const many = await openedMany(3)
  await outage(400, many)
  await using node = await open(fixture.chain.url, 150)
  await readOften(fixture.sourceOf(node.url), async () => (await statesOf(many)).success === 3)
}

test('a single node limited to 150 calls per second is read by ranges', () => readByLimited())

test('a single node that refuses each call above 150 per second is read by ranges', () =>
  readByLimited(rateLimitedByCall))

// After this test, full blocks are read for an hour.
test('while a payment in native currency is open, blocks are read one by one and its transfer is found', async () => {
  const [inNative, inToken] = [
    await fixture.openPayment({ asset: 'ETH', tokenAddress: null }),
    await fixture.openPayment(),
  ]
  await outage(250, [])
  const { from } = fixture.chain.payment(inNative.address, 0n)
  await fixture.chain.rpc('eth_sendTransaction', { from, to: inNative.address, value: '0x3e8' })
  await outage(250, [inToken])
  await read()
  expect(await statesOf([inNative, inToken])).toEqual({ success: 2 })
})

test('a single node limited to 150 calls per second is read block by block', async () => {
  // Full blocks are read for a payment in native currency.
  await fixture.openPayment({ asset: 'ETH', tokenAddress: null })
  await readByLimited()
})

test('a single node that refuses each call above 150 per second is read block by block', () =>
  readByLimited(rateLimitedByCall))

const ignoreMoved = (error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === 'PM002')) throw error
}
