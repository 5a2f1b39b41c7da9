import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import { anvil } from '../harness/anvil.ts'

/** A chain that mines on demand, with a token that reports many transfers in one transaction. */
export type BenchNode = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  readonly token: string
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** One transaction with a transfer to each address, waiting to be mined. */
  pay(to: readonly string[], amount: bigint): Promise<void>
  /** One transfer of the native currency. */
  transfer(to: string, wei: bigint): Promise<void>
  /** Resolves when the node has the last block. */
  mine(blocks?: number): Promise<number>
}

export type BenchNodeOptions = {
  readonly chainId?: number
  /** The address for the token's code, if it must be that of a known token. */
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
    transfer: (to, wei) => send({ to, value: hex(wei), gas: hex(21_000) }),
    mine: async (blocks = 1) => {
      await (blocks === 1 ? node.call('evm_mine') : node.call('anvil_mine', hex(blocks)))
      return performance.now()
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

/** An address derived from names. */
export const addressOf = (...parts: readonly (string | number)[]): Hex =>
  `0x${createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 40)}`

export type Length = {
  readonly blocks: number
  /** One transfer per block, at this interval; none in the last twentieth, which peers take for not final. */
  readonly transfers: number
  readonly coins: number
}

/** The recipients of the transfers. */
export const payeesOf = ({ transfers }: Length): readonly string[] =>
  Array.from({ length: transfers }, (_, n) => addressOf('payee', n))

/** Builds the chain up to this many blocks. */
export const buildBlocks = async (node: BenchNode, length: Length, print: (line: string) => void): Promise<void> => {
  const payees = payeesOf(length)
  const every = Math.floor((0.95 * length.blocks) / payees.length)
  const coinEvery = Math.floor(payees.length / length.coins)
  const began = performance.now()
  let printedAt = began
  for (const [n, payee] of payees.entries()) {
    await node.pay([payee], 1_000n)
    if (n % coinEvery === 0) await node.transfer(addressOf('coin', n), 7n)
    await node.mine()
    if (every > 1) await node.mine(every - 1)
    if (performance.now() - printedAt < 5_000) continue
    printedAt = performance.now()
    print(`${(n + 1) * every} of ${length.blocks} blocks built, ${((printedAt - began) / 1_000).toFixed(0)} s`)
  }
  const head = Number(await node.call('eth_blockNumber'))
  if (head >= length.blocks) throw new Error(`${head} blocks were built, not ${length.blocks}`)
  await node.mine(length.blocks - head)
  print(
    `a chain of ${length.blocks} blocks, ${((performance.now() - began) / 1_000).toFixed(1)} s: ` +
      `transfers ${length.transfers}, native transfers ${length.coins}`,
  )
}

const hex = (number: number | bigint): string => `0x${number.toString(16)}`

const word = (digits: string): string => digits.padStart(64, '0')

/**
 * A token contract for benches. Its input is an amount and any number of addresses, one word each; it emits a Transfer
 * event from the sender to each. It stores nothing: five thousand real transfers would not fit into one block.
 */
const TOKEN_CODE = (() => {
  const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const emitLog = `803533${`7f${transfer}`}60205fa3`
  // The amount to memory; then, from the second word to the end of the data, one log per word.
  const runtime = `5f355f526020${'5b803611'}15603c57${emitLog}602001600656${'5b00'}`
  return `0x60${(runtime.length / 2).toString(16)}8060095f395ff3${runtime}`
})()
