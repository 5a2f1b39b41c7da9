import type { Nodes, Question } from '../../../src/chain/watch/source.ts'
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
export const testChain = async () => {
  const node = await anvil({ mining: 'none' })
  let asked = 0

  const send = async (questions: readonly Question[]): Promise<unknown[]> => {
    const body = questions.map((question, id) => ({ jsonrpc: '2.0', id, ...question }))
    asked += 1
    const answer = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answers = (await answer.json()) as { id: number; result?: unknown; error?: { message: string } }[]
    return questions.map((_, id) => {
      const found = answers.find(answer => answer.id === id)
      return found?.error ? new Error(found.error.message) : found?.result
    })
  }
  const rpc = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const [answer] = await send([{ method, params }])
    if (answer instanceof Error) throw answer
    return answer as T
  }

  const [sender = ''] = node.accounts
  const deploy = async () => {
    const hash = await rpc<string>('eth_sendTransaction', { from: sender, data: TOKEN_CODE, gas: '0x100000' })
    await rpc('evm_mine')
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
    nodes: { ask: send, askEach: async (questions: readonly Question[]) => [await send(questions)] } satisfies Nodes,
    /** How many requests have come. */
    asked: () => asked,
    /** Waits to be mined. */
    pay: (to: string, amount: bigint, of?: string): Promise<string> =>
      rpc('eth_sendTransaction', payment(to, amount, of)),
    mine: (blocks = 1) => rpc('anvil_mine', `0x${blocks.toString(16)}`),
    /** The last blocks are replaced by as many others, with these transactions at these places. */
    reorganize: (depth: number, transactions: readonly Placed[] = []) => node.reorg(depth, transactions),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

export type TestChain = Awaited<ReturnType<typeof testChain>>
