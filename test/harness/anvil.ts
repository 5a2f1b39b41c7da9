import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAnvil } from '../../src/sandbox/anvil.ts'
import { callNode, getHead, type SandboxHead } from '../../src/sandbox/node-client.ts'
import { until } from './until.ts'

/** A chain for one test. It ends with the test process, also when that process is killed. */
export type TestChain = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  readonly accounts: readonly `0x${string}`[]
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  head(block?: string): Promise<SandboxHead>
  mine(blocks?: number): Promise<SandboxHead>
  /** Sends from an account whose key the node holds, and mines unless the node does so itself. Returns the hash of the mined transaction. */
  send(transaction: Readonly<Record<string, unknown>>): Promise<string>
  /**
   * Replaces the last blocks by the same number of new ones, which contain these transactions: raw or unsigned, each
   * with the index of its new block, from 0. Returns the hashes of the removed blocks, lowest first.
   */
  reorg(depth: number, transactions?: readonly Placed[]): Promise<readonly string[]>
  /** Removes the last blocks. Returns their hashes, lowest first. */
  rollback(depth: number): Promise<readonly string[]>
}

export type Placed = readonly [transaction: string | Readonly<Record<string, unknown>>, block: number]

export type TestChainOptions = {
  /** `auto` mines a block for each transaction; with `none` only mine() makes blocks. */
  readonly mining?: 'auto' | 'none'
  /** Uses the options of the service's own node, which mines 20,000 blocks in 4 s; false keeps every state and uses the newest rules. */
  readonly fast?: boolean
  /** Any unused port by default. */
  readonly port?: number
  readonly args?: readonly string[]
}

export const anvil = async ({
  mining = 'auto',
  fast = true,
  port,
  args = [],
}: TestChainOptions = {}): Promise<TestChain> => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  const node = await startAnvil({
    folder,
    temporary: true,
    port,
    fixedPort: port !== undefined,
    args: [
      '--no-request-size-limit',
      ...(fast ? ['--hardfork', 'cancun', '--prune-history', '200'] : []),
      ...(mining === 'none' ? ['--no-mining'] : []),
      ...args,
    ],
  })
  const call = (method: string, ...params: readonly unknown[]) => callNode(node.url, method, ...params)
  const head = (block?: string) => getHead(node.url, block)

  const lastBlocks = async (count: number): Promise<readonly SandboxHead[]> => {
    const { number } = await head()
    if (count > number) throw new Error(`There are ${number} blocks, not ${count}`)
    return Promise.all(Array.from({ length: count }, (_, at) => head(hex(number - count + 1 + at))))
  }
  /** Sets another coinbase: without it, empty blocks would get the same hashes again and nothing would be reorganized. */
  const replacing = async (depth: number, replace: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = await lastBlocks(depth)
    await call('anvil_setCoinbase', `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`)
    await replace()
    for (const { hash } of before)
      if ((await call('eth_getBlockByHash', hash, false)) !== null) throw new Error(`Block ${hash} is still there`)
    return before.map(({ hash }) => hash)
  }

  return {
    url: node.url,
    pid: node.pid,
    accounts: (await call('eth_accounts')) as `0x${string}`[],
    call,
    head,
    mine: async (blocks = 1) => {
      await call('anvil_mine', hex(blocks))
      return head()
    },
    send: async transaction => {
      const hash = await call('eth_sendTransaction', transaction)
      if (mining === 'none') await call('evm_mine')
      // A node that mines by itself returns the hash before the block is mined.
      await until(async () => (await call('eth_getTransactionReceipt', hash)) !== null)
      return String(hash)
    },
    reorg: (depth, transactions = []) => replacing(depth, () => call('anvil_reorg', depth, transactions)),
    rollback: depth => replacing(depth, () => call('anvil_rollback', depth)),
    [Symbol.asyncDispose]: async () => {
      await node.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const hex = (number: number) => `0x${number.toString(16)}`
