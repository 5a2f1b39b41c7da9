import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Cursor } from '../../../src/chain/chain-log.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor, isMovedCursor } from '../../../src/chain/watch/chain-state.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import type { ChainSource, WatchedChain } from '../../../src/chain/watch/watched-chain.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { type AnswerChange, changedNode, type TestChain, testChain } from './test-node.ts'

const OURS = `0x${'d'.repeat(40)}`

let server: ApiServer
let chain: TestChain
let watched: WatchedChain

beforeAll(async () => {
  server = await apiServer({ routes: [] })
  chain = await testChain()
  // None of the blocks becomes final.
  watched = { id: 31337, tokens: [chain.token], confirmations: 1_000_000 }
  const merchantId = await insertMerchant(server.sql)
  await server.sql`
    insert into deposit_addresses (address, payment_id, merchant_id, treasury, counter)
    values (${OURS}, gen_random_uuid(), ${merchantId}, ${`0x${'7'.repeat(40)}`}, 0)`
  await read(sourceOf(chain.url))
})
afterAll(async () => {
  await chain[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const sourceOf = (url: string): ChainSource =>
  openSource(openRpc({ chainId: watched.id, urls: [url] }, server.api), watched.tokens)

/** Reads one part, or all parts. */
const step = (source: ChainSource, forMs = 0) => readNext(server.sql, watched, source, { most: 10, forMs })
const ALL = Number.POSITIVE_INFINITY

const read = async (source: ChainSource): Promise<void> => {
  for (let idle = 0; idle < 2; ) idle = (await step(source)) === 'idle' ? idle + 1 : 0
}

/** Reads 45 blocks from a node that changes its answers. Returns how often each block was requested. */
const behind = async (
  work: (source: ChainSource, asked: ReadonlyMap<number, number>, from: number) => Promise<unknown>,
  change: AnswerChange = (_, answer) => answer,
) => {
  const from = await headOf()
  await chain.mine(45)
  const asked = new Map<number, number>()
  await using node = await changedNode(chain.url, (call, answer) => {
    const number = Number(call.params[0])
    if (call.method === 'eth_getBlockByNumber') asked.set(number, (asked.get(number) ?? 0) + 1)
    return change(call, answer)
  })
  await work(sourceOf(node.url), asked, from)
  await expectRecorded()
}

/** Whether the part that ends at this block was requested: with its logs, the last block is requested a second time. */
const isAsked = (asked: ReadonlyMap<number, number>, last: number) => asked.get(last) === 2

const headOf = async () => Number(await chain.rpc<string>('eth_blockNumber'))

/** Expects the recorded blocks to be those of the chain. */
const expectRecorded = async () => {
  const rows = await server.sql<{ number: string; hash: string }[]>`
    select number, hash from chain_blocks order by number`
  const kept: Cursor[] = rows.map(({ number, hash }) => ({ number: Number(number), hash }))
  expect(kept.at(-1)?.number).toBe(await headOf())
  for (const { number, hash } of kept.slice(-50))
    expect(await chain.rpc<object>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).toMatchObject({ hash })
}

test('three parts are prefetched, and only the last block of a part is requested twice', () =>
  behind(async (source, asked, from) => {
    expect(await step(source)).toBe('recorded')
    await until(() => isAsked(asked, from + 40))
    expect(asked.get(from + 41)).toBeUndefined()
    await read(source)
    const middle = [...asked].filter(([number]) => number > from && (number - from) % 10 !== 0 && number < from + 45)
    expect(middle).toHaveLength(40)
    expect(new Set(middle.map(([, times]) => times))).toEqual(new Set([1]))
  }))

test('blocks that a reorg replaced after they were prefetched are read again with their transfers', () =>
  behind(async (source, asked, from) => {
    expect(await step(source)).toBe('recorded')
    await until(() => isAsked(asked, from + 40))
    // Blocks that are prefetched, and the five recorded ones below.
    await chain.reorganize(40, [[chain.payment(OURS, 7n), 12]])
    await read(source)
    const found = await server.sql`select block_number::integer as number, amount::integer from transfers`
    expect([...found]).toEqual([{ number: from + 18, amount: 7 }])
  }))

test('a part whose prefetch failed is requested again', () => {
  let early = 0
  return behind(
    async (source, asked, from) => {
      // Not at the end of a log range, which might become smaller after this.
      const number = from + 13
      early = number
      expect(await step(source)).toBe('recorded')
      await until(() => asked.get(number) === 1)
      // A node with an invalid answer is paused for a moment.
      await until(() =>
        read(source).then(
          () => true,
          () => false,
        ),
      )
      expect(asked.get(number)).toBe(2)
    },
    (call, answer) => {
      if (call.method !== 'eth_getBlockByNumber' || Number(call.params[0]) !== early) return answer
      early = 0
      return 'garbage'
    },
  )
})

test('a step reads several parts, and records the first while the next are read', () =>
  behind(async (source, asked, from) => {
    expect(await step(source, ALL)).toBe('recorded')
    expect(asked.get(from + 45)).toBeGreaterThan(0)
    expect((await findCursor(server.sql, watched.id))?.number).toBe(from + 45)
    expect(await step(source, ALL)).toBe('idle')
  }))

test('a step ends where a part does not follow its predecessor', () => {
  let other = 0
  return behind(
    async (source, _, from) => {
      other = from + 21
      expect(await step(source, ALL)).toBe('recorded')
      expect((await findCursor(server.sql, watched.id))?.number).toBe(from + 20)
      await read(source)
    },
    (call, answer) => {
      if (call.method !== 'eth_getBlockByNumber' || Number(call.params[0]) !== other) return answer
      other = 0
      return { ...Object(answer), parentHash: `0x${'e'.repeat(64)}` }
    },
  )
})

test('a step whose first part another process has recorded records no further part', () =>
  behind(async (source, _, from) => {
    const quicker = sourceOf(chain.url)
    const headers: ChainSource['headers'] = async numbers => {
      const headers = await source.headers(numbers)
      if (numbers[0] === from + 1) await step(quicker)
      return headers
    }
    expect(await step({ ...source, headers }, ALL).catch(isMovedCursor)).toBe(true)
    expect((await findCursor(server.sql, watched.id))?.number).toBe(from + 10)
    await read(source)
  }))
