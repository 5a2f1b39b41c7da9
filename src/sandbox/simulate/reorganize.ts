import { type } from 'arktype'
import { toQuantity } from '../../chain/rpc/hex.ts'
import { refuse } from '../../errors.ts'
import { lazy } from '../../lazy.ts'
import { ask, headOf, NodeTrouble } from '../ask.ts'
import { payer } from '../contracts.ts'

/** Throws where the node is none that takes blocks back: before anything is sent that could not be. */
export const requireReorganizations = async (url: string): Promise<void> => {
  try {
    // No blocks at all: a node that has the method says that this is wrong.
    await ask(url, 'anvil_reorg', 0, [])
  } catch (error) {
    if (!(error instanceof NodeTrouble) || error.code === undefined) throw error
    if (unknownMethod.includes(error.code))
      refuse('chain_unavailable', { message: 'The node of the sandbox does not support reorganizations. Use anvil.' })
  }
}

const unknownMethod: readonly number[] = [-32601, -32004]

/**
 * Replaces the blocks from this one on by as many others that hold the same, but for one transaction of the payer's:
 * another one stands at its nonce, so that what the payer sent later stays good. All at once: whatever happens
 * to us, nobody else's transaction is lost. False when a block came in between, and nothing was achieved.
 */
export const dropTransaction = async (url: string, hash: string, from: number): Promise<boolean> => {
  const head = await headOf(url)
  const blocks = await Promise.all(
    Array.from({ length: head.number - from + 1 }, (_, n) => blockAt(url, from + n).then(block => block.transactions)),
  )
  const others = await rawOf(
    url,
    blocks.flat().flatMap(each => (each.hash === hash ? [] : [each.hash])),
  )
  const placed = blocks.flatMap((transactions, n) =>
    transactions.map(each => [each.hash === hash ? fillerOf(each) : others.get(each.hash), n]),
  )
  // Blocks that hold the same come out the same, and nothing would have been reorganised.
  const coinbase = await ask(url, 'eth_coinbase')
  const clock = await clockOf(url)
  const waiting = await rawOf(url, await waitingIn(url))
  await ask(url, 'anvil_setCoinbase', `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`)
  try {
    // The last look: a block that has come meanwhile would be taken back with what nobody here has seen of it.
    if ((await headOf(url)).hash !== head.hash) return false
    await ask(url, 'anvil_reorg', blocks.length, placed)
  } finally {
    await ask(url, 'anvil_setCoinbase', coinbase)
    // The node goes on from the time of the last block, and would be behind for good: windows would never end.
    await ask(url, 'evm_increaseTime', Math.max(0, clock - (await clockOf(url))))
  }
  await putBack(url, new Map([...others, ...waiting]))
  return (await ask(url, 'eth_getTransactionReceipt', hash)) === null
}

/** In seconds, what a block would be given that came now. */
const clockOf = async (url: string): Promise<number> => {
  const block = await ask(url, 'eth_getBlockByNumber', 'pending', false)
  if (!isTimed().allows(block)) throw new NodeTrouble('eth_getBlockByNumber')
  return Number(block.timestamp)
}

const isTimed = lazy(() => type({ timestamp: '/^0x[0-9a-f]+$/' }))

const fillerOf = ({ nonce }: { readonly nonce: string }) => ({
  ...{ from: payer, to: payer, value: '0x0', gas: toQuantity(21_000), nonce },
})

/** A block that somebody mined at this very moment is gone without having been looked at. */
const putBack = async (url: string, raw: ReadonlyMap<string, string>): Promise<void> => {
  for (const [hash, bytes] of raw)
    if ((await ask(url, 'eth_getTransactionByHash', hash)) === null)
      await ask(url, 'eth_sendRawTransaction', bytes).catch(() => undefined)
}

const rawOf = async (url: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const raw = await Promise.all(hashes.map(hash => ask(url, 'eth_getRawTransactionByHash', hash)))
  return new Map(hashes.flatMap((hash, n) => (typeof raw[n] === 'string' ? [[hash, raw[n]]] : [])))
}

const waitingIn = async (url: string): Promise<readonly string[]> => {
  const pool = await ask(url, 'txpool_content').catch(() => undefined)
  if (!isPool().allows(pool)) return []
  return [pool.pending, pool.queued].flatMap(each => Object.values(each)).flatMap(hashesIn)
}

const hashesIn = (byNonce: Readonly<Record<string, { readonly hash: string }>>): readonly string[] =>
  Object.values(byNonce).map(({ hash }) => hash)

const senders = lazy(() => type({ '[string]': { '[string]': { hash: 'string' } } }))
const isPool = lazy(() => type({ pending: senders(), queued: senders() }))

const blockAt = async (url: string, number: number): Promise<ReturnType<typeof isBlock>['infer']> => {
  const block = await ask(url, 'eth_getBlockByNumber', toQuantity(number), true)
  if (!isBlock().allows(block)) throw new NodeTrouble('eth_getBlockByNumber')
  return block
}

const isBlock = lazy(() => type({ transactions: type({ hash: 'string', nonce: 'string' }).array() }))
