import { randomFillSync } from 'node:crypto'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { type ManualClock, manualClock } from '../../../src/clock.ts'
import { anvil, type TestChain } from '../../harness/anvil.ts'
import { type FaultyNode, faultyNode } from '../../harness/faulty-node.ts'
import { readableLog } from '../../harness/lines.ts'
import { until } from '../../harness/until.ts'

export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
export const token = '0x00000000000000000000000000000000000070c0'
export const revertingToken = '0x00000000000000000000000000000000000000fd'

/** A contract that logs Transfer(caller, second word, first word) and does nothing else. */
const tokenCode = `0x5f355f52602035337f${transferTopic.slice(2)}60205fa300`

export const tokenChain = async (): Promise<TestChain> => {
  const chain = await anvil()
  await chain.call('anvil_setCode', token, tokenCode)
  await chain.call('anvil_setCode', revertingToken, '0x5f5ffd')
  return chain
}

export const word = (number: number | bigint | string): string => BigInt(number).toString(16).padStart(64, '0')

/** Mines a transaction of the chain's first account. Returns its hash. */
export const sendMined = async (chain: TestChain, to: string, data = '0x'): Promise<string> => {
  // With a gas limit, because a transaction that reverts has no estimate.
  const hash = await chain.send({ from: chain.accounts[0], to, data, gas: '0x100000' })
  await until(() => chain.call('eth_getTransactionReceipt', hash))
  return hash
}

/** Mines a block with one transfer. Returns the hash of its transaction. */
export const pay = (chain: TestChain, to: string, amount: number): Promise<string> =>
  sendMined(chain, token, `0x${word(amount)}${word(to)}`)

export type Nodes = AsyncDisposable & {
  readonly rpc: Rpc
  readonly nodes: readonly FaultyNode[]
  readonly node: FaultyNode
  readonly other: FaultyNode
  readonly clock: ManualClock
  /** Everything logged, as text. */
  readonly logged: () => string
  /** Advances the clock: all pauses are over and all nodes are probed again. */
  rested(): void
}

/** A client of `count` faulty nodes over one chain. */
export const openNodes = async (
  chain: TestChain,
  { count = 1, seed = 1, chainId = 31_337 }: { count?: number; seed?: number; chainId?: number } = {},
): Promise<Nodes> => {
  const nodes = await Promise.all(Array.from({ length: count }, (_, at) => faultyNode(chain.url, { seed: seed + at })))
  const [node, other = node] = nodes
  if (!node || !other) throw new Error('There must be a node')
  const { log, text } = readableLog()
  const clock = manualClock()
  const rpc = openRpc(
    { chainId, urls: nodes.map(each => each.url) },
    { clock, log, random: bytes => randomFillSync(bytes) },
  )
  return {
    rpc,
    nodes,
    node,
    other,
    clock,
    logged: text,
    rested: () => clock.advance(3_600_000),
    [Symbol.asyncDispose]: async () => {
      rpc.close()
      await Promise.all(nodes.map(each => each[Symbol.asyncDispose]()))
    },
  }
}

/** Two nodes. The first is asked first, because the second is slow. */
export const openPair = async (chain: TestChain): Promise<Nodes> => {
  const nodes = await openNodes(chain, { count: 2 })
  nodes.other.break('slow', { ms: 150 })
  await nodes.rpc.batch([{ method: 'eth_blockNumber', params: [] }])
  await until(() => nodes.rpc.health().every(({ state }) => state === 'healthy'))
  return nodes
}
