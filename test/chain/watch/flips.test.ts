import { expect, test } from 'bun:test'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import type { MadePayment } from '../../http/payments.ts'
import { chainHouse } from './chain-house.ts'
import type { Change } from './node.ts'

const house = await forFile(chainHouse())

/** Its window ends so soon, by the chain's clock, that every lost transfer would lengthen it. */
const opened = async (): Promise<MadePayment> => {
  const payment = await house.opened()
  const { timestamp } = await house.chain.rpc<Block>('eth_getBlockByNumber', 'latest', false)
  const end = new Date((Number(timestamp) + 60) * 1_000)
  await rewrite(house.sql, 'payments', [payment.actor], { expires_at: end })
  return payment
}

const expiryOf = async (payment: MadePayment) => (await house.stateOf(payment))?.expiresAt.getTime() ?? 0

const eventsOf = async ({ actor }: MadePayment) =>
  (await house.sql<{ type: string }[]>`select type from events where actor = ${actor} order by rev`).map(({ type }) =>
    type.replace('payment.', ''),
  )

/** The same transaction is in the chain, then it is not, and so on. Answers when the window ended each time it was not. */
const flip = async (payment: MadePayment, times: number, amount = 1000n, from?: ChainSource) => {
  const txHash = await house.chain.pay(payment.address, amount)
  const ends: number[] = []
  await house.chain.mine()
  const raw = await house.chain.rpc<string>('eth_getRawTransactionByHash', txHash)
  for (let time = 0; time < times; time++) {
    await house.read(from)
    expect((await house.stateOf(payment))?.amountReceived).toBe(amount)
    await house.chain.reorganize(1)
    await house.read(from)
    expect(await house.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
    ends.push(await expiryOf(payment))
    await house.chain.reorganize(1, [[raw, 0]])
  }
  await house.read(from)
  return ends
}

for (const [nodes, sourceOf] of [
  ['its only node', () => house.source],
  ['two nodes', () => house.sourceOf(house.chain.url, house.chain.url)],
] as const)
  test(`a payment whose transfer ${nodes} showed and lost is lengthened once, however often it comes and goes`, async () => {
    const payment = await opened()
    const before = await expiryOf(payment)
    const [first = 0, ...others] = await flip(payment, 4, 1000n, sourceOf())
    expect(first).toBeGreaterThan(before)
    expect(others).toEqual([first, first, first])
  })

test('a transfer that comes and goes is announced once', async () => {
  const [whole, part] = [await opened(), await opened()]
  await flip(whole, 3)
  await house.rest()
  await flip(part, 3, 400n)
  expect(await eventsOf(whole)).toEqual(['created', 'processing', 'succeeded'])
  expect(await eventsOf(part)).toEqual(['created', 'underpaid'])
})

const hex = (number: number | bigint, digits = 1) => `0x${number.toString(16).padStart(digits, '0')}`

type Block = Readonly<Record<'number' | 'hash' | 'parentHash' | 'timestamp', string>>

/** A node that puts a block on the head, with a transfer of all that is due in it: a new one each time, or none. */
const makingUp = (payment: MadePayment) => {
  let madeUp: { readonly block: Block; readonly log: object } | undefined
  let count = 0
  const change: Change = ({ method, params: [place] }, answer) => {
    if (!madeUp) return answer
    const { block, log } = madeUp
    if (method === 'eth_blockNumber') return block.number
    if (method === 'eth_getBlockByNumber') return place === 'latest' || place === block.number ? block : answer
    if (method !== 'eth_getLogs') return answer
    return [...((answer ?? []) as object[]), log]
  }
  const make = async () => {
    count++
    // The node refuses to tell of logs above its own head.
    await house.chain.mine()
    const top = await house.chain.rpc<Block>('eth_getBlockByNumber', 'latest', false)
    const place = { number: hex(Number(top.number) + 1), hash: hex((0xf11bn << 200n) + BigInt(count), 64) }
    const topics = [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      hex(1, 64),
      `0x${payment.address.slice(2).toLowerCase().padStart(64, '0')}`,
    ]
    const timestamp = hex(Number(top.timestamp) + 1)
    madeUp = {
      block: { ...top, ...place, parentHash: top.hash, timestamp },
      log: {
        ...{ address: house.chain.token, topics, data: hex(1000, 64) },
        ...{ blockNumber: place.number, blockHash: place.hash, transactionHash: hex(0x7a, 64) },
        ...{ transactionIndex: '0x0', logIndex: '0x0', removed: false },
      },
    }
  }
  const stop = () => {
    madeUp = undefined
  }
  return { change, make, stop }
}

test('a transfer that one of two nodes makes up and takes back lengthens no window', async () => {
  const payment = await opened()
  const before = await expiryOf(payment)
  const liar = makingUp(payment)
  await house.besideAnother(liar.change, async source => {
    for (let time = 0; time < 3; time++) {
      await liar.make()
      await house.read(source)
      expect((await house.stateOf(payment))?.state).toBe('processing')
      liar.stop()
      await house.chain.mine()
      await house.read(source)
      expect(await house.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
      expect(await expiryOf(payment)).toBe(before)
    }
  })
  expect(await eventsOf(payment)).toEqual(['created', 'processing'])
})
