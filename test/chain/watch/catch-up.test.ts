import { expect, test } from 'bun:test'
import process from 'node:process'
import type { Cursor } from '../../../src/chain/chain-log.ts'
import { isNodeError } from '../../../src/chain/rpc/rpc.ts'
import { findCursor, isMovedCursor, recordFinalRange } from '../../../src/chain/watch/books.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { forFile } from '../../harness/for-file.ts'
import { until } from '../../harness/until.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { type Change, limited, limitedOneByOne, no, type Question, through } from './node.ts'
import { startWatching } from './watcher.ts'

// Six hours of outage on a fast chain: `OUTAGE=full bun test test/chain/watch/catch-up.test.ts`.
const isFull = process.env.OUTAGE === 'full'
const [BLOCKS, TRANSFERS] = isFull ? [20_000, 500] : [3_000, 80]
const LONG_MS = isFull ? 300_000 : 60_000

const house = await forFile(chainHouse())

const openedMany = async (count: number): Promise<readonly MadePayment[]> => {
  const many: MadePayment[] = []
  while (many.length < count)
    many.push(...(await Promise.all(Array.from({ length: Math.min(50, count - many.length) }, () => house.opened()))))
  return many
}

/** The hash of a block that is not there. */
const NOWHERE = `0x${'f'.repeat(64)}`

/** What nobody house.watched: so many blocks, and every so often one with a transfer to one of these. */
const outage = async (blocks: number, to: readonly MadePayment[]) => {
  const every = Math.floor(blocks / (to.length + 1))
  await house.chain.mine(every)
  for (const payment of to) {
    await house.chain.pay(payment.address, 1000n)
    await house.chain.mine(every)
  }
  await house.chain.mine(blocks - every * (to.length + 1))
}

/** After each step the books must be whole. */
const expectWhole = async () => {
  const [gaps] = await house.sql<{ missing: number }[]>`
    select (number - final_number + 1 - (select count(*) from chain_blocks))::integer as missing from chain_cursors`
  expect(gaps?.missing).toBe(0)
}

/** By a process that was just started. Answers how many steps it took. */
const read = (source = house.sourceOf(house.chain.url)) => house.read(source, expectWhole)

const statesOf = async (many: readonly MadePayment[]): Promise<Readonly<Record<string, number>>> => {
  const rows = await house.sql<{ state: string; count: number }[]>`
    select state, count(*)::integer as count from payments
    where id in ${house.sql(many.map(({ actor }) => actor))} group by state`
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

const cursorNow = async (): Promise<Cursor> => {
  const cursor = await findCursor(house.sql, house.watched.id)
  if (!cursor) throw new Error('the books have not begun')
  return cursor
}

const isRange = ({ method, params: [where] }: Question) =>
  method === 'eth_getLogs' && typeof where === 'object' && where !== null && 'fromBlock' in where

const widthOf = ({ params }: Question): number => {
  const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
  return Number(toBlock) - Number(fromBlock) + 1
}

test(
  `an outage of ${BLOCKS} blocks with ${TRANSFERS} transfers loses none, and few blocks are asked for`,
  async () => {
    const many = await openedMany(TRANSFERS)
    const started = performance.now()
    await outage(BLOCKS, many)
    const built = performance.now()
    let headers = 0
    await using node = await through(house.chain.url, ({ method }, answer) => {
      if (method === 'eth_getBlockByNumber') headers++
      return answer
    })
    const steps = await read(house.sourceOf(node.url))
    const done = performance.now()
    expect(await statesOf(many)).toEqual({ success: TRANSFERS })
    expect((await findCursor(house.sql, house.watched.id))?.number).toBe(await house.head())
    // Those with transfers, the last ones up to the head, and at each end of a range a few and those before a transfer.
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
  'a watcher that is killed again and again while it catches up loses nothing and counts nothing twice',
  async () => {
    const many = await openedMany(TRANSFERS)
    await outage(BLOCKS, many)
    for (let kills = 0; kills < 8; kills++) {
      await using watcher = await startWatching(house.databaseUrl, house.chain, CONFIRMATIONS)
      await Bun.sleep(5 + kills * 7)
      await watcher.kill()
    }
    await using _ = await startWatching(house.databaseUrl, house.chain, CONFIRMATIONS)
    await until(async () => (await statesOf(many)).success === TRANSFERS, { timeoutMs: 30_000 })
    const told = await house.sql<{ type: string; count: number }[]>`
      select type, count(*)::integer as count from events
      where actor in ${house.sql(many.map(({ actor }) => actor))} group by type order by type`
    expect(told.map(({ type, count }) => `${type} ${count}`)).toEqual([
      `payment.created ${TRANSFERS}`,
      `payment.processing ${TRANSFERS}`,
      `payment.succeeded ${TRANSFERS}`,
    ])
  },
  LONG_MS,
)

test('blocks that were seen before the outage and went in it take their money with them', async () => {
  const [lost, kept] = [await house.opened(), await house.opened()]
  await house.chain.pay(kept.address, 1000n)
  await house.chain.mine()
  await house.chain.pay(lost.address, 1000n)
  await house.chain.mine(3)
  await read()
  expect(await statesOf([lost, kept])).toEqual({ processing: 2 })
  await house.chain.reorganize(3)
  await outage(600, [])
  await read()
  expect([await statesOf([lost]), await statesOf([kept])]).toEqual([{ pending: 1 }, { success: 1 }])
})

test('what one of two nodes leaves out of a range is read block by block, and final when both tell it', async () => {
  const many = await openedMany(4)
  await outage(800, many)
  const leavesOut: Change = (question, answer) =>
    isRange(question) && Array.isArray(answer) ? answer.slice(1) : answer
  await using node = await through(house.chain.url, leavesOut)
  await read(house.sourceOf(house.chain.url, node.url))
  expect((await findCursor(house.sql, house.watched.id))?.number).toBe(await house.head())
  expect(await statesOf(many)).toEqual({ processing: 4 })
  await read()
  expect(await statesOf(many)).toEqual({ success: 4 })
})

for (const [what, leave] of [
  ['nothing', () => []],
  ['no more than the first', logs => logs.slice(0, 1)],
  ['no more than the last', logs => logs.slice(-1)],
] as const satisfies [string, (logs: readonly unknown[]) => readonly unknown[]][])
  test(`of a range of which the only node tells ${what}, nothing is lost`, async () => {
    const many = await openedMany(3)
    await outage(800, many)
    // Of blocks it has no index of yet. By its hash each is told whole.
    const leavesOut: Change = (question, answer) =>
      isRange(question) && Array.isArray(answer) ? leave(answer) : answer
    await using node = await through(house.chain.url, leavesOut)
    await read(house.sourceOf(node.url))
    expect(await statesOf(many)).toEqual({ success: 3 })
  })

test('while one of two nodes is away, blocks are read by the other and none is final', async () => {
  const many = await openedMany(2)
  await outage(500, many)
  await expect(read(house.sourceOf(house.chain.url, 'http://127.0.0.1:9/'))).rejects.toThrow('unreachable')
  await house.settle()
  expect(await statesOf(many)).toEqual({ processing: 2 })
  await read()
  expect(await statesOf(many)).toEqual({ success: 2 })
})

test('a node that says that it is further than it is makes nothing final too soon', async () => {
  await outage(500, [])
  const boasts: Change = ({ method }, answer) =>
    method === 'eth_blockNumber' ? `0x${(Number(answer) + CONFIRMATIONS).toString(16)}` : answer
  await using node = await through(house.chain.url, boasts)
  const cursor = await cursorNow()
  const head = await house.head()
  const endOf = async (upTo: number, ...urls: string[]) =>
    (await house.sourceOf(...urls).finalRange(cursor, upTo, house.watched))?.end.number
  const final = head - CONFIRMATIONS + 1
  expect(await endOf(final, house.chain.url)).toBe(final)
  expect(await endOf(final + 1, house.chain.url)).toBeUndefined()
  expect(await endOf(final + 1, node.url)).toBe(final + 1)
  expect(await endOf(final + 1, node.url, house.chain.url)).toBeUndefined()
  expect(await endOf(final, node.url, house.chain.url)).toBe(final)
})

test('a range stands on the block that the books ended with', async () => {
  await outage(400, [])
  const cursor = await cursorNow()
  const upTo = (await house.head()) - CONFIRMATIONS + 1
  const other = { ...cursor, hash: NOWHERE }
  expect(await house.sourceOf(house.chain.url).finalRange(other, upTo, house.watched)).toBeUndefined()
})

test('what two nodes tell of a range is not final in blocks of which they tell otherwise', async () => {
  const many = await openedMany(1)
  await outage(500, many)
  const elsewhere: Change = (question, answer) =>
    isRange(question) && Array.isArray(answer) ? answer.map(log => ({ ...log, blockHash: NOWHERE })) : answer
  await using other = await through(house.chain.url, elsewhere)
  await house.readThrough(elsewhere, [other.url])
  expect(await statesOf(many)).toEqual({ pending: 1 })
  await read()
  expect(await statesOf(many)).toEqual({ success: 1 })
})

test('blocks of which a server has lost that they are final are not passed over', async () => {
  const many = await openedMany(1)
  await outage(4, many)
  await read()
  await outage(500, [])
  const cursor = await cursorNow()
  const range = await house.source.finalRange(cursor, (await house.head()) - CONFIRMATIONS + 1, house.watched)
  if (!range) throw new Error('there is no range')
  const passing = recordFinalRange(house.sql, house.watched.id, cursor, { blocks: [range.end], logs: range.logs })
  expect(await passing.then(() => false, isMovedCursor)).toBe(true)
  await read()
  expect(await statesOf(many)).toEqual({ success: 1 })
})

test('transfers in the first block of a range and in its last are found', async () => {
  const [first, last] = [await house.opened(), await house.opened()]
  await house.chain.pay(first.address, 1000n)
  await outage(500, [])
  await house.chain.pay(last.address, 1000n)
  await house.chain.mine(CONFIRMATIONS)
  await readNext(house.sql, house.watched, house.sourceOf(house.chain.url))
  await house.settle()
  expect(await statesOf([first, last])).toEqual({ success: 2 })
})

test('a range that a node refuses is read in halves', async () => {
  const many = await openedMany(4)
  await outage(1_200, many)
  let widest = 0
  await using node = await through(house.chain.url, (question, answer) => {
    if (!isRange(question)) return answer
    if (widthOf(question) > 300) return no
    widest = Math.max(widest, widthOf(question))
    return answer
  })
  await read(house.sourceOf(node.url))
  expect(widest).toBeGreaterThan(100)
  expect(await statesOf(many)).toEqual({ success: 4 })
})

test('two that catch up at once read every block once', async () => {
  const many = await openedMany(6)
  await outage(5_000, many)
  const one = async () => {
    const source = house.sourceOf(house.chain.url)
    for (let idle = 0; idle < 3; )
      idle = (await readNext(house.sql, house.watched, source).catch(ignoreMoved)) === 'idle' ? idle + 1 : 0
  }
  await Promise.all([one(), one(), one()])
  await read()
  expect(await statesOf(many)).toEqual({ success: 6 })
})

/** Again and again, as the watch does it. */
const readOften = async (source: ChainSource, isDone: () => Promise<boolean>) => {
  const tried = async () => {
    await house.read(source).catch(error => {
      if (!isNodeError(error)) throw error
    })
    return isDone()
  }
  await until(tried, { timeoutMs: 40_000, everyMs: 500 })
}

test('blocks are agreed on by a node that answers seven questions at once and refuses the others', async () => {
  await house.chain.mine(60)
  const top = await house.head()
  const asked = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const place = `0x${(top - n).toString(16)}`
      const { hash } = await house.chain.rpc<{ hash: string }>('eth_getBlockByNumber', place, false)
      return { number: top - n, hash }
    }),
  )
  await using node = await through(house.chain.url, (_, answer, at = 0) => (at < 7 ? answer : no))
  const agreed = await house.sourceOf(node.url).agreedBlocks(asked)
  expect(agreed?.map(({ number, hash }) => ({ number, hash }))).toEqual(asked)
})

const readByLimited = async (open = limited) => {
  const many = await openedMany(3)
  await outage(400, many)
  await using node = await open(house.chain.url, 150)
  await readOften(house.sourceOf(node.url), async () => (await statesOf(many)).success === 3)
}

test('an only node that takes 150 questions a second is read by ranges', () => readByLimited())

test('an only node that refuses all but 150 questions a second one by one is read by ranges', () =>
  readByLimited(limitedOneByOne))

// After this one, blocks are read in full for an hour.
test('while somebody is to pay in coins, blocks are read one by one, and the coins found', async () => {
  const [inCoins, inToken] = [await house.opened({ asset: 'ETH', tokenAddress: null }), await house.opened()]
  await outage(250, [])
  const { from } = house.chain.payment(inCoins.address, 0n)
  await house.chain.rpc('eth_sendTransaction', { from, to: inCoins.address, value: '0x3e8' })
  await outage(250, [inToken])
  await read()
  expect(await statesOf([inCoins, inToken])).toEqual({ success: 2 })
})

test('an only node that takes 150 questions a second is read block by block', async () => {
  // Who is to pay in coins has blocks read in full.
  await house.opened({ asset: 'ETH', tokenAddress: null })
  await readByLimited()
})

test('an only node that refuses all but 150 questions a second one by one is read block by block', () =>
  readByLimited(limitedOneByOne))

const ignoreMoved = (error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === 'PM002')) throw error
}
