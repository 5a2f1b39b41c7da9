import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Cursor } from '../../../src/chain/chain-log.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor, isMovedCursor } from '../../../src/chain/watch/books.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import type { ChainSource, WatchedChain } from '../../../src/chain/watch/watched-chain.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { type Change, type TestChain, testChain, through } from './node.ts'

const OURS = `0x${'d'.repeat(40)}`

let house: ApiServer
let chain: TestChain
let watched: WatchedChain

beforeAll(async () => {
  house = await apiServer({ routes: [] })
  chain = await testChain()
  // None of them ever becomes final.
  watched = { id: 31337, tokens: [chain.token], confirmations: 1_000_000 }
  const merchantId = await insertMerchant(house.sql)
  await house.sql`
    insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
    values (${OURS}, gen_random_uuid(), ${merchantId}, ${`0x${'7'.repeat(40)}`}, 0)`
  await read(sourceOf(chain.url))
})
afterAll(async () => {
  await chain[Symbol.asyncDispose]()
  await house[Symbol.asyncDispose]()
})

const sourceOf = (url: string): ChainSource =>
  openSource(openRpc({ chainId: watched.id, urls: [url] }, house.api), watched.tokens)

/** Of one part, or of all there are. */
const step = (source: ChainSource, forMs = 0) => readNext(house.sql, watched, source, { most: 10, forMs })
const ALL = Number.POSITIVE_INFINITY

const read = async (source: ChainSource): Promise<void> => {
  for (let idle = 0; idle < 2; ) idle = (await step(source)) === 'idle' ? idle + 1 : 0
}

/** Reads 45 blocks by a node that changes what it says; how often it was asked for each block. */
const behind = async (
  work: (source: ChainSource, asked: ReadonlyMap<number, number>, from: number) => Promise<unknown>,
  change: Change = (_, answer) => answer,
) => {
  const from = await headOf()
  await chain.mine(45)
  const asked = new Map<number, number>()
  await using node = await through(chain.url, (question, answer) => {
    const number = Number(question.params[0])
    if (question.method === 'eth_getBlockByNumber') asked.set(number, (asked.get(number) ?? 0) + 1)
    return change(question, answer)
  })
  await work(sourceOf(node.url), asked, from)
  await expectBooks()
}

/** With its logs, before which the last block of a part is asked for once more. */
const isAsked = (asked: ReadonlyMap<number, number>, last: number) => asked.get(last) === 2

const headOf = async () => Number(await chain.rpc<string>('eth_blockNumber'))

/** The books hold the chain as it is now, block by block. */
const expectBooks = async () => {
  const rows = await house.sql<{ number: string; hash: string }[]>`
    select number, hash from chain_blocks order by number`
  const kept: Cursor[] = rows.map(({ number, hash }) => ({ number: Number(number), hash }))
  expect(kept.at(-1)?.number).toBe(await headOf())
  for (const { number, hash } of kept.slice(-50))
    expect(await chain.rpc<object>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).toMatchObject({ hash })
}

test('three parts are asked for before their turn, and none of their blocks twice but at the end of a part', () =>
  behind(async (source, asked, from) => {
    expect(await step(source)).toBe('recorded')
    await until(() => isAsked(asked, from + 40))
    expect(asked.get(from + 41)).toBeUndefined()
    await read(source)
    const middle = [...asked].filter(([number]) => number > from && (number - from) % 10 !== 0 && number < from + 45)
    expect(middle).toHaveLength(40)
    expect(new Set(middle.map(([, times]) => times))).toEqual(new Set([1]))
  }))

test('blocks that changed after they were asked for are read as they are now, and their money with them', () =>
  behind(async (source, asked, from) => {
    expect(await step(source)).toBe('recorded')
    await until(() => isAsked(asked, from + 40))
    // Blocks that are asked for already, and the five below, which are written down.
    await chain.reorganize(40, [[chain.payment(OURS, 7n), 12]])
    await read(source)
    const found = await house.sql`select block_number::integer as number, amount::integer from transfers`
    expect([...found]).toEqual([{ number: from + 18, amount: 7 }])
  }))

test('what failed when it was asked for early is asked for again', () => {
  let early = 0
  return behind(
    async (source, asked, from) => {
      // At no end of logs that are asked for, which may be fewer at once after this.
      const number = from + 13
      early = number
      expect(await step(source)).toBe('recorded')
      await until(() => asked.get(number) === 1)
      // A node that has answered with garbage rests for a moment.
      await until(() =>
        read(source).then(
          () => true,
          () => false,
        ),
      )
      expect(asked.get(number)).toBe(2)
    },
    (question, answer) => {
      if (question.method !== 'eth_getBlockByNumber' || Number(question.params[0]) !== early) return answer
      early = 0
      return 'garbage'
    },
  )
})

test('a step has several parts, of which the first are written down while the next are read', () =>
  behind(async (source, asked, from) => {
    expect(await step(source, ALL)).toBe('recorded')
    expect(asked.get(from + 45)).toBeGreaterThan(0)
    expect((await findCursor(house.sql, watched.id))?.number).toBe(from + 45)
    expect(await step(source, ALL)).toBe('idle')
  }))

test('a step ends where a part does not stand on the one before', () => {
  let other = 0
  return behind(
    async (source, _, from) => {
      other = from + 21
      expect(await step(source, ALL)).toBe('recorded')
      expect((await findCursor(house.sql, watched.id))?.number).toBe(from + 20)
      await read(source)
    },
    (question, answer) => {
      if (question.method !== 'eth_getBlockByNumber' || Number(question.params[0]) !== other) return answer
      other = 0
      return { ...Object(answer), parentHash: `0x${'e'.repeat(64)}` }
    },
  )
})

test('a step whose first part somebody else has written down writes down nothing behind it', () =>
  behind(async (source, _, from) => {
    const quicker = sourceOf(chain.url)
    const headers: ChainSource['headers'] = async numbers => {
      const told = await source.headers(numbers)
      if (numbers[0] === from + 1) await step(quicker)
      return told
    }
    expect(await step({ ...source, headers }, ALL).catch(isMovedCursor)).toBe(true)
    expect((await findCursor(house.sql, watched.id))?.number).toBe(from + 10)
    await read(source)
  }))
