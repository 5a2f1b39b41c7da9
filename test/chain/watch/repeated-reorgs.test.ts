import { expect, test } from 'bun:test'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import type { MadePayment } from '../../http/payments.ts'
import { openChainFixture } from './chain-fixture.ts'
import type { AnswerChange } from './test-node.ts'

const fixture = await forFile(openChainFixture())

/** A payment whose window ends so soon that every lost transfer would lengthen it. */
const opened = async (): Promise<MadePayment> => {
  const payment = await fixture.openPayment()
  const { timestamp } = await fixture.chain.rpc<Block>('eth_getBlockByNumber', 'latest', false)
  const end = new Date((Number(timestamp) + 60) * 1_000)
  await rewrite(fixture.sql, 'payments', [payment.actor], { expires_at: end })
  return payment
}

const expiryOf = async (payment: MadePayment) => (await fixture.stateOf(payment))?.expiresAt.getTime() ?? 0

const eventsOf = async ({ actor }: MadePayment) =>
  (await fixture.sql<{ type: string }[]>`select type from events where actor = ${actor} order by rev`).map(({ type }) =>
    type.replace('payment.', ''),
  )

/** Mines a transaction, removes it, and so on. Returns the end of the window each time it was removed. */
const flip = async (payment: MadePayment, times: number, amount = 1000n, from?: ChainSource) => {
  const txHash = await fixture.chain.pay(payment.address, amount)
  const ends: number[] = []
  await fixture.chain.mine()
  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', txHash)
  for (let time = 0; time < times; time++) {
    await fixture.read(from)
    expect((await fixture.stateOf(payment))?.amountReceived).toBe(amount)
    await fixture.chain.reorganize(1)
    await fixture.read(from)
    expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
    ends.push(await expiryOf(payment))
    await fixture.chain.reorganize(1, [[raw, 0]])
  }
  await fixture.read(from)
  return ends
}

for (const [nodes, sourceOf] of [
  ['its only node', () => fixture.source],
  ['two nodes', () => fixture.sourceOf(fixture.chain.url, fixture.chain.url)],
] as const)
  test(`a window is lengthened once for a transfer that ${nodes} reported and lost repeatedly`, async () => {
    const payment = await opened()
    const before = await expiryOf(payment)
    const [first = 0, ...others] = await flip(payment, 4, 1000n, sourceOf())
    expect(first).toBeGreaterThan(before)
    expect(others).toEqual([first, first, first])
  })

test('a transfer that is removed and mined again repeatedly is announced once', async () => {
  const [whole, part] = [await opened(), await opened()]
  await flip(whole, 3)
  await fixture.rest()
  await flip(part, 3, 400n)
  expect(await eventsOf(whole)).toEqual(['created', 'processing', 'succeeded'])
  expect(await eventsOf(part)).toEqual(['created', 'underpaid'])
})

const hex = (number: number | bigint, digits = 1) => `0x${number.toString(16).padStart(digits, '0')}`

type Block = Readonly<Record<'number' | 'hash' | 'parentHash' | 'timestamp', string>>

/** A node that adds an invented block to the head, with a transfer of the amount due: a new one each time, or none. */
const inventingNode = (payment: MadePayment) => {
  let invented: { readonly block: Block; readonly log: object } | undefined
  let count = 0
  const change: AnswerChange = ({ method, params: [place] }, answer) => {
    if (!invented) return answer
    const { block, log } = invented
    if (method === 'eth_blockNumber') return block.number
    if (method === 'eth_getBlockByNumber') return place === 'latest' || place === block.number ? block : answer
    if (method !== 'eth_getLogs') return answer
    return [...((answer ?? []) as object[]), log]
  }
  const make = async () => {
    count++
    // The node refuses logs above its own head.
    await fixture.chain.mine()
    const top = await fixture.chain.rpc<Block>('eth_getBlockByNumber', 'latest', false)
    const place = { number: hex(Number(top.number) + 1), hash: hex((0xf11bn << 200n) + BigInt(count), 64) }
    const topics = [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      hex(1, 64),
      `0x${payment.address.slice(2).toLowerCase().padStart(64, '0')}`,
    ]
    const timestamp = hex(Number(top.timestamp) + 1)
    invented = {
      block: { ...top, ...place, parentHash: top.hash, timestamp },
      log: {
        ...{ address: fixture.chain.token, topics, data: hex(1000, 64) },
        ...{ blockNumber: place.number, blockHash: place.hash, transactionHash: hex(0x7a, 64) },
        ...{ transactionIndex: '0x0', logIndex: '0x0', removed: false },
      },
    }
  }
  const stop = () => {
    invented = undefined
  }
  return { change, make, stop }
}

test('a transfer that one of two nodes invents and removes lengthens no window', async () => {
  const payment = await opened()
  const before = await expiryOf(payment)
  const wrongNode = inventingNode(payment)
  await fixture.withTwoNodes(wrongNode.change, async source => {
    for (let time = 0; time < 3; time++) {
      await wrongNode.make()
      await fixture.read(source)
      expect((await fixture.stateOf(payment))?.state).toBe('processing')
      wrongNode.stop()
      await fixture.chain.mine()
      await fixture.read(source)
      expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
      expect(await expiryOf(payment)).toBe(before)
    }
  })
  expect(await eventsOf(payment)).toEqual(['created', 'processing'])
})
