import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import { anvil } from '../harness/anvil.ts'

/** A chain whose blocks are mined when told to, with a token that says of many at once that they were sent as much each. */
export type BenchNode = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  readonly token: string
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** One transaction with a transfer to each, which waits to be mined. */
  pay(to: readonly string[], amount: bigint): Promise<void>
  /** One of the chain's own coin. */
  give(to: string, wei: bigint): Promise<void>
  /** Answers when the node has said that the last block is there. */
  mine(blocks?: number): Promise<number>
}

export type BenchNodeOptions = {
  readonly chainId?: number
  /** Where the token's code is put, if not where its creation leads: at the address of a known token. */
  readonly tokenAt?: string
}

export const openBenchNode = async ({ chainId = 31337, tokenAt }: BenchNodeOptions = {}): Promise<BenchNode> => {
  const node = await anvil({ mining: 'none', args: ['--chain-id', String(chainId)] })
  const [from = ''] = node.accounts
  const hash = await node.send({ from, data: TOKEN_CODE, gas: '0x100000' })
  const receipt = (await node.call('eth_getTransactionReceipt', hash)) as { readonly contractAddress: string }
  if (tokenAt !== undefined)
    await node.call('anvil_setCode', tokenAt, await node.call('eth_getCode', receipt.contractAddress, 'latest'))
  const token = tokenAt ?? receipt.contractAddress
  const send = async (transaction: object) => void (await node.call('eth_sendTransaction', { from, ...transaction }))
  return {
    url: node.url,
    pid: node.pid,
    token,
    call: node.call,
    pay: (to, amount) => {
      const data = `0x${word(amount.toString(16))}${to.map(address => word(address.slice(2))).join('')}`
      return send({ to: token, data, gas: hex(60_000 + 3_000 * to.length) })
    },
    give: (to, wei) => send({ to, value: hex(wei), gas: hex(21_000) }),
    mine: async (blocks = 1) => {
      await (blocks === 1 ? node.call('evm_mine') : node.call('anvil_mine', hex(blocks)))
      return performance.now()
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

/** An address for whatever is named so. */
export const addressOf = (...parts: readonly (string | number)[]): Hex =>
  `0x${createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 40)}`

export type Length = {
  readonly blocks: number
  /** Each in a block of its own, every so often; none in the last twentieth, which peers take for not final. */
  readonly transfers: number
  readonly coins: number
}

/** Who is sent the transfers. */
export const payeesOf = ({ transfers }: Length): readonly string[] =>
  Array.from({ length: transfers }, (_, n) => addressOf('payee', n))

/** As many blocks as asked for, those included that are there already. */
export const buildBlocks = async (node: BenchNode, length: Length, say: (line: string) => void): Promise<void> => {
  const payees = payeesOf(length)
  const every = Math.floor((0.95 * length.blocks) / payees.length)
  const coinEvery = Math.floor(payees.length / length.coins)
  const began = performance.now()
  let toldAt = began
  for (const [n, payee] of payees.entries()) {
    await node.pay([payee], 1_000n)
    if (n % coinEvery === 0) await node.give(addressOf('coin', n), 7n)
    await node.mine()
    if (every > 1) await node.mine(every - 1)
    if (performance.now() - toldAt < 5_000) continue
    toldAt = performance.now()
    say(`${(n + 1) * every} of ${length.blocks} blocks built, ${((toldAt - began) / 1_000).toFixed(0)} s`)
  }
  const head = Number(await node.call('eth_blockNumber'))
  if (head >= length.blocks) throw new Error(`${head} blocks were built, not ${length.blocks}`)
  await node.mine(length.blocks - head)
  say(
    `a chain of ${length.blocks} blocks, ${((performance.now() - began) / 1_000).toFixed(1)} s: ` +
      `transfers ${length.transfers}, coins ${length.coins}`,
  )
}

const hex = (number: number | bigint): string => `0x${number.toString(16)}`

const word = (digits: string): string => digits.padStart(64, '0')

/**
 * Is sent an amount and any number of addresses, a word each, and tells a transfer from the sender to each of them.
 * Nothing is kept: five thousand would be a block of their own otherwise.
 */
const TOKEN_CODE = (() => {
  const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const tell = `803533${`7f${transfer}`}60205fa3`
  // The amount to memory; from the second word on, as long as there is data: tell, and a word further.
  const runtime = `5f355f526020${'5b803611'}15603c57${tell}602001600656${'5b00'}`
  return `0x60${(runtime.length / 2).toString(16)}8060095f395ff3${runtime}`
})()
