import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { anvil, type Placed } from '../../harness/anvil.ts'
import { localServer } from '../../harness/local-server.ts'

/** A token contract that logs a transfer of the given amount from the caller to the given address, for any caller. */
const TOKEN_CODE = (() => {
  const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  // amount to memory; topics: to, sender, the event; log3 of 32 bytes.
  const runtime = `6024355f5260043533${`7f${transfer}`}60205fa300`
  return `0x60${(runtime.length / 2).toString(16)}8060095f395ff3${runtime}`
})()

const word = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')

/** A real chain whose blocks are mined and reorganized on demand. */
export const testChain = async (args: readonly string[] = [], port?: number) => {
  const node = await anvil({ mining: 'none', args, ...(port !== undefined && { port }) })
  const [sender = ''] = node.accounts
  const rpc = async <T>(method: string, ...params: unknown[]): Promise<T> => (await node.call(method, ...params)) as T
  const deploy = async () => {
    const hash = await node.send({ from: sender, data: TOKEN_CODE, gas: '0x100000' })
    return (await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress
  }
  const token = await deploy()
  const otherToken = await deploy()
  const payment = (to: string, amount: bigint, of = token) => ({
    ...{ from: sender, to: of, data: `0xa9059cbb${word(to)}${word(amount)}`, gas: '0x100000' },
  })
  return {
    token,
    otherToken,
    rpc,
    payment,
    url: node.url,
    /** Sends a payment without mining it. */
    pay: (to: string, amount: bigint, of?: string): Promise<string> =>
      rpc('eth_sendTransaction', payment(to, amount, of)),
    mine: (blocks = 1) => node.mine(blocks),
    /** Replaces the last blocks by as many others, with these transactions in these blocks. */
    reorganize: (depth: number, transactions: readonly Placed[] = []) => node.reorg(depth, transactions),
    rollback: (depth: number) => node.rollback(depth),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

export type TestChain = Awaited<ReturnType<typeof testChain>>

export type NodeCall = { readonly method: string; readonly params: readonly unknown[] }
type Item = { readonly id: number; readonly result?: unknown; readonly error?: unknown }

/**
 * Returns the answer that the node gives in place of the real one, or a refusal. With a promise, something can happen
 * between the request and the answer. `at`: the position of the call in its batch.
 */
export type AnswerChange = (call: NodeCall, answer: unknown, at?: number) => unknown

class Refused {
  readonly code: number
  constructor(code: number) {
    this.code = code
  }
}

export const refusalWith = (code: number) => new Refused(code)
export const refusal = refusalWith(-32000)

export type NodeLog = Readonly<Record<'address' | 'data' | 'blockNumber', string>>

/** A node that returns other logs. */
export const logsAs =
  (change: (logs: readonly NodeLog[]) => readonly object[]): AnswerChange =>
  ({ method }, answer) =>
    method === 'eth_getLogs' && Array.isArray(answer) ? change(answer) : answer

/** A token bucket: so many calls per second, and no larger burst. */
const bucketOf = (perSecond: number) => {
  let left = perSecond
  let at = performance.now()
  return (count: number): boolean => {
    const now = performance.now()
    left = Math.min(perSecond, left + ((now - at) / 1_000) * perSecond)
    at = now
    if (count > left) return false
    left -= count
    return true
  }
}

/** A node that accepts so many calls per second and refuses whole batches. */
export const rateLimitedNode = (url: string, perSecond: number) =>
  changedNode(url, (_, answer) => answer, bucketOf(perSecond))

/** A node that answers so many calls per second and refuses each other call with a rate limit. */
export const rateLimitedByCall = (url: string, perSecond: number) => {
  const take = bucketOf(perSecond)
  return changedNode(url, (_, answer) => (take(1) ? answer : refusalWith(-32005)))
}

/** A node that passes calls on to the chain and changes its answers. */
export const changedNode = async (
  url: string,
  change: AnswerChange,
  mayAsk: (count: number) => boolean = () => true,
) => {
  const answer = async (request: IncomingMessage): Promise<string | undefined> => {
    const body = await text(request)
    const sent: unknown = JSON.parse(body)
    const calls = (Array.isArray(sent) ? sent : [sent]) as (NodeCall & { id: number })[]
    if (!mayAsk(calls.length)) return undefined
    const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const parsed: unknown = await response.json()
    const items = (Array.isArray(parsed) ? parsed : [parsed]) as Item[]
    const changedOf = async (item: Item) => {
      const at = calls.findIndex(({ id }) => id === item.id)
      const call = calls[at]
      if (!call || item.error !== undefined) return item
      const result = await change(call, item.result, at)
      const envelope = { jsonrpc: '2.0', id: item.id }
      return result instanceof Refused
        ? { ...envelope, error: { code: result.code, message: 'no' } }
        : { ...envelope, result: result ?? null }
    }
    const changed = await Promise.all(items.map(changedOf))
    return JSON.stringify(Array.isArray(sent) ? changed : changed[0])
  }
  return localServer((request, response) => {
    answer(request).then(
      body => {
        if (body === undefined) response.statusCode = 429
        response.setHeader('content-type', 'application/json').end(body)
      },
      () => response.destroy(),
    )
  })
}
