import { type } from 'arktype'
import { toQuantity } from '../../chain/rpc/hex.ts'
import { refuse } from '../../errors.ts'
import { lazy } from '../../lazy.ts'
import { payer } from '../contracts.ts'
import { callNode, getHead, NodeError } from '../node-client.ts'

/** Throws if the node does not support reorganizations. To be called before a payment is sent. */
export const requireReorganizations = async (url: string): Promise<void> => {
  try {
    // A depth of 0: a node that has the method refuses the parameter.
    await callNode(url, 'anvil_reorg', 0, [])
  } catch (error) {
    if (!(error instanceof NodeError) || error.code === undefined) throw error
    if (unknownMethod.includes(error.code))
      refuse('chain_unavailable', { message: 'The node of the sandbox does not support reorganizations. Use anvil.' })
  }
}

const unknownMethod: readonly number[] = [-32601, -32004]

/**
 * Replaces the blocks from `from` on by the same number of blocks with the same transactions, except one of the
 * payer's. It is replaced by another transaction with its nonce, so that later ones of the payer stay valid. One call
 * does all of it, so no other transaction is lost if this process ends. Returns false if a block was mined in the
 * meantime.
 */
export const dropTransaction = async (url: string, hash: string, from: number): Promise<boolean> => {
  const head = await getHead(url)
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
  // Another coinbase: blocks with the same content would have the same hashes, and nothing would be reorganized.
  const coinbase = await callNode(url, 'eth_coinbase')
  const clock = await clockOf(url)
  const waiting = await rawOf(url, await waitingIn(url))
  await callNode(url, 'anvil_setCoinbase', `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`)
  try {
    // Checked again: a new block would be removed together with its transactions, which were not read above.
    if ((await getHead(url)).hash !== head.hash) return false
    await callNode(url, 'anvil_reorg', blocks.length, placed)
  } finally {
    await callNode(url, 'anvil_setCoinbase', coinbase)
    // The node continues from the time of the last block. Without a correction its clock would stay slow.
    await callNode(url, 'evm_increaseTime', Math.max(0, clock - (await clockOf(url))))
  }
  await putBack(url, new Map([...others, ...waiting]))
  return (await callNode(url, 'eth_getTransactionReceipt', hash)) === null
}

/** The timestamp of a block that is mined now, in seconds. */
const clockOf = async (url: string): Promise<number> => {
  const block = await callNode(url, 'eth_getBlockByNumber', 'pending', false)
  if (!isTimed().allows(block)) throw new NodeError('eth_getBlockByNumber')
  return Number(block.timestamp)
}

const isTimed = lazy(() => type({ timestamp: '/^0x[0-9a-f]+$/' }))

const fillerOf = ({ nonce }: { readonly nonce: string }) => ({
  ...{ from: payer, to: payer, value: '0x0', gas: toQuantity(21_000), nonce },
})

/** Sends transactions again that were in a block that was mined at the moment of the reorganization. */
const putBack = async (url: string, raw: ReadonlyMap<string, string>): Promise<void> => {
  for (const [hash, bytes] of raw)
    if ((await callNode(url, 'eth_getTransactionByHash', hash)) === null)
      await callNode(url, 'eth_sendRawTransaction', bytes).catch(() => undefined)
}

const rawOf = async (url: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const raw = await Promise.all(hashes.map(hash => callNode(url, 'eth_getRawTransactionByHash', hash)))
  return new Map(hashes.flatMap((hash, n) => (typeof raw[n] === 'string' ? [[hash, raw[n]]] : [])))
}

const waitingIn = async (url: string): Promise<readonly string[]> => {
  const pool = await callNode(url, 'txpool_content').catch(() => undefined)
  if (!isPool().allows(pool)) return []
  return [pool.pending, pool.queued].flatMap(each => Object.values(each)).flatMap(hashesIn)
}

const hashesIn = (byNonce: Readonly<Record<string, { readonly hash: string }>>): readonly string[] =>
  Object.values(byNonce).map(({ hash }) => hash)

const senders = lazy(() => type({ '[string]': { '[string]': { hash: 'string' } } }))
const isPool = lazy(() => type({ pending: senders(), queued: senders() }))

const blockAt = async (url: string, number: number): Promise<ReturnType<typeof isBlock>['infer']> => {
  const block = await callNode(url, 'eth_getBlockByNumber', toQuantity(number), true)
  if (!isBlock().allows(block)) throw new NodeError('eth_getBlockByNumber')
  return block
}

const isBlock = lazy(() => type({ transactions: type({ hash: 'string', nonce: 'string' }).array() }))
