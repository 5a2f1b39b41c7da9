import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { isHex } from 'viem/utils'
import { readBigint } from './hex.ts'
import { answered, type Node, type Rpc, RpcFault, RpcRefusal } from './rpc.ts'

/** A node of one chain, asked many things at once. */
export type Ask = Node['batch']

/** One question; undefined when the node said no. */
export const findHex = async (ask: Ask, method: string, params: readonly unknown[]): Promise<Hex | undefined> => {
  const [answer] = await ask([{ method, params }])
  if (answer instanceof RpcRefusal) return undefined
  return believed(answer, method)
}

/** One question that a node has an answer to. */
export const getHex = async (ask: Ask, method: string, params: readonly unknown[]): Promise<Hex> => {
  const [answer] = await ask([{ method, params }])
  return believed(answered(answer), method)
}

const believed = (answer: unknown, method: string): Hex => {
  if (!isHex(answer)) throw new RpcFault('garbage', method)
  return answer
}

export const getBigint = async (ask: Ask, method: string, params: readonly unknown[]): Promise<bigint> =>
  readBigint(await getHex(ask, method, params), method)

export const hasCode = async (ask: Ask, address: Hex): Promise<boolean> =>
  (await getHex(ask, 'eth_getCode', [address, 'latest'])) !== '0x'

/** All that is asked through this, together: somebody waits. */
export const withinTime = ({ batch }: Pick<Rpc, 'batch'>, timeoutMs: number): Ask => {
  const deadline = performance.now() + timeoutMs
  return calls => batch(calls, { timeoutMs: Math.max(0, deadline - performance.now()) })
}

/** Only what two nodes say alike; with one node, what it says. */
export const agreedBy =
  ({ agreed }: Pick<Rpc, 'agreed'>, timeoutMs: number): Ask =>
  async calls => {
    const pick = (answers: readonly unknown[]) => answers.map((answer, at) => believed(answered(answer), `call ${at}`))
    const agreement = await agreed(calls, pick, { timeoutMs })
    if (agreement.outcome === 'disagreed') throw new RpcFault('garbage', 'the nodes disagree')
    return agreement.value
  }

/** A search asks a hundred times, and public nodes limit their callers. All that is asked here may be asked twice. */
export const patient =
  (ask: Ask): Ask =>
  async calls => {
    for (let tries = 1; ; tries++) {
      try {
        return await ask(calls)
      } catch (error) {
        if (!(error instanceof RpcFault) || tries === mostTries) throw error
        await sleep(Math.min(error.retryAfterMs ?? tries * 500, 60_000))
      }
    }
  }

const mostTries = 4
