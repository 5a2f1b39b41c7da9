import { fileURLToPath } from 'node:url'
import { createTestClient, type Hex, http, parseAbi, publicActions, walletActions } from 'viem'
import { anvil as definition } from 'viem/chains'
import type { Chain, Feed } from '../../../src/chain/chain.ts'
import { type Artifact, compile } from '../../../src/chain/contracts/compile.ts'
import type { PricedChain } from '../../../src/chain/quotes/quotes.ts'
import type { Node, RpcCall } from '../../../src/chain/rpc/rpc.ts'
import { type ManualClock, manualClock } from '../../../src/clock.ts'
import { anvil } from '../../harness/anvil.ts'
import { until } from '../../harness/until.ts'

const compiled = compile(fileURLToPath(new URL('.', import.meta.url))).get('aggregator.json') ?? '{}'

export const aggregator: Artifact = JSON.parse(compiled)

/** A chain with aggregators that return what a test sets, and a clock that is set to the time of its head. */
export const startOracles = async () => {
  const node = await anvil()
  const client = createTestClient({ mode: 'anvil', chain: definition, transport: http(node.url), pollingInterval: 5 })
    .extend(publicActions)
    .extend(walletActions)
  const [account] = await client.getAddresses()
  if (!account) throw new Error('anvil returned no account')

  const headS = async () => (await client.getBlock()).timestamp
  const clock = manualClock()
  const followHead = async () => clock.set(new Date(Number(await headS()) * 1000))
  await followHead()

  /** Polls for the receipt: with automatic mining, viem would wait for one more block. */
  const mined = (hash: Hex) => until(() => client.getTransactionReceipt({ hash }).catch(() => undefined))

  const deploy = async ({ abi, bytecode }: Artifact, args: readonly unknown[]): Promise<string> => {
    const hash = await client.deployContract({ account, abi, bytecode, args })
    const { contractAddress } = await mined(hash)
    if (!contractAddress) throw new Error('the contract was not deployed')
    return contractAddress.toLowerCase()
  }
  /** Sets the answer of an aggregator. `agoS`: the age of the answer by the chain's clock. */
  const setAnswer = async (address: string, answer: bigint, agoS = 0n, startedAgoS = agoS) => {
    const now = await headS()
    const args = [answer, now - startedAgoS, now - agoS] as const
    const hash = await client.writeContract({
      account,
      address: `0x${address.slice(2)}`,
      abi: setAbi,
      functionName: 'set',
      args,
    })
    await mined(hash)
    await followHead()
  }
  const feed = async (pair: string, answer: bigint, decimals = 8): Promise<Feed> => {
    const address = await deploy(aggregator, [pair, decimals])
    await setAnswer(address, answer)
    return { address, pair, heartbeatS: 3_600 }
  }
  return {
    clock,
    client,
    feed,
    setAnswer,
    deploy,
    followHead,
    url: node.url,
    batch: batchTo(node.url),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

export type Oracles = Awaited<ReturnType<typeof startOracles>>

/** A minimal batch client: one POST, answers matched by id. */
const batchTo =
  (url: string): Node['batch'] =>
  async calls => {
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answers = (await response.json()) as readonly { id: number; result?: unknown }[]
    return calls.map((_, id) => answers.find(answer => answer.id === id)?.result)
  }

/** The only node of its chain. */
export const alone = (batch: Node['batch']): PricedChain['rpc'] => ({
  read: async (calls, read, options) => read(await batch(calls, options)),
  both: async (calls, read, options) => [read(await batch(calls, options))],
  agreed: async (calls, pick, options) => ({
    ...{ outcome: 'agreed', nodes: ['1/1'] },
    value: pick(await batch(calls, options)),
  }),
})

/** Records the calls of a batch client. */
export const recording = (batch: Node['batch'], asked: (readonly RpcCall[])[]): Node['batch'] => {
  return (calls, options) => {
    asked.push(calls)
    return batch(calls, options)
  }
}

const dollar = { asset: 'USDC', address: `0x${'a'.repeat(40)}`, decimals: 6, peg: 'USD' }
const euro = { asset: 'EURC', address: `0x${'b'.repeat(40)}`, decimals: 6, peg: 'EUR' }

export const chainWith = (change: Partial<Chain>): Chain => ({
  id: 1,
  network: 'One',
  livemode: true,
  native: { asset: 'ETH', decimals: 18, feed: null },
  tokens: [dollar, euro],
  currencyFeeds: [],
  finality: 'finalized',
  blockMs: 2_000,
  pollMs: 2_000,
  explorerUrl: null,
  sequencerFeed: null,
  minesOnDemand: false,
  ...change,
})

export const inMinutes = (clock: ManualClock, minutes: number) => new Date(clock.now().getTime() + minutes * 60_000)

const setAbi = parseAbi(['function set(int256 newAnswer, uint256 startedAt, uint256 updatedAt)'])
