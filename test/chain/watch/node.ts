import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { anvil, type Placed } from '../../harness/anvil.ts'

/** Anybody may send it an address and a number, and it says that the sender has transferred as many. */
const TOKEN_CODE = (() => {
  const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  // amount to memory; topics: to, sender, the event; log3 of 32 bytes.
  const runtime = `6024355f5260043533${`7f${transfer}`}60205fa300`
  return `0x60${(runtime.length / 2).toString(16)}8060095f395ff3${runtime}`
})()

const word = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')

/** A real chain for the reader: blocks are mined when told to, and taken back. */
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
    /** Waits to be mined. */
    pay: (to: string, amount: bigint, of?: string): Promise<string> =>
      rpc('eth_sendTransaction', payment(to, amount, of)),
    mine: (blocks = 1) => node.mine(blocks),
    /** The last blocks are replaced by as many others, with these transactions at these places. */
    reorganize: (depth: number, transactions: readonly Placed[] = []) => node.reorg(depth, transactions),
    rollback: (depth: number) => node.rollback(depth),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

export type TestChain = Awaited<ReturnType<typeof testChain>>

export type Question = { readonly method: string; readonly params: readonly unknown[] }
type Item = { readonly id: number; readonly result?: unknown; readonly error?: unknown }

/**
 * What a node is to say instead, or a refusal. With a promise, something happens between question and answer.
 * `at`: which of those that were asked together.
 */
export type Change = (question: Question, answer: unknown, at?: number) => unknown

class Refused {
  readonly code: number
  constructor(code: number) {
    this.code = code
  }
}

export const refused = (code: number) => new Refused(code)
export const no = refused(-32000)

export type ToldLog = Readonly<Record<'address' | 'data' | 'blockNumber', string>>

/** A node that tells other logs than there are. */
export const logsAs =
  (change: (logs: readonly ToldLog[]) => readonly object[]): Change =>
  ({ method }, answer) =>
    method === 'eth_getLogs' && Array.isArray(answer) ? change(answer) : answer

/** What may be taken of so many a second, and no more than that at once. */
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

/** A node that takes so many questions a second, by whole batches. */
export const limited = (url: string, perSecond: number) => through(url, (_, answer) => answer, bucketOf(perSecond))

/** A node that answers so many questions a second, and says of each of the others that it is one too many. */
export const limitedOneByOne = (url: string, perSecond: number) => {
  const take = bucketOf(perSecond)
  return through(url, (_, answer) => (take(1) ? answer : refused(-32005)))
}

/** A node that answers for the chain, and changes some of it on the way. */
export const through = async (url: string, change: Change, mayAsk: (count: number) => boolean = () => true) => {
  const answer = async (request: IncomingMessage): Promise<string | undefined> => {
    const body = await text(request)
    const sent: unknown = JSON.parse(body)
    const questions = (Array.isArray(sent) ? sent : [sent]) as (Question & { id: number })[]
    if (!mayAsk(questions.length)) return undefined
    const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const told: unknown = await response.json()
    const items = (Array.isArray(told) ? told : [told]) as Item[]
    const changedOf = async (item: Item) => {
      const at = questions.findIndex(({ id }) => id === item.id)
      const question = questions[at]
      if (!question || item.error !== undefined) return item
      const result = await change(question, item.result, at)
      const envelope = { jsonrpc: '2.0', id: item.id }
      return result instanceof Refused
        ? { ...envelope, error: { code: result.code, message: 'no' } }
        : { ...envelope, result: result ?? null }
    }
    const changed = await Promise.all(items.map(changedOf))
    return JSON.stringify(Array.isArray(sent) ? changed : changed[0])
  }
  const server = createServer((request, response) => {
    answer(request).then(
      body => {
        if (body === undefined) response.statusCode = 429
        response.setHeader('content-type', 'application/json').end(body)
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
