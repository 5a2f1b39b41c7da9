import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { isHex } from 'viem/utils'
import { readBigint } from './hex.ts'
import { type Node, type Rpc, RpcFault, RpcRefusal, resultOf } from './rpc.ts'

/** Sends a batch of calls to the nodes of one chain. */
export type Ask = Node['batch']

/** One call. Undefined when the node refuses it. */
export const findHex = async (ask: Ask, method: string, params: readonly unknown[]): Promise<Hex | undefined> => {
  const [answer] = await ask([{ method, params }])
  if (answer instanceof RpcRefusal) return undefined
  return requireHex(answer, method)
}

/** One call. Throws when the node refuses it. */
export const getHex = async (ask: Ask, method: string, params: readonly unknown[]): Promise<Hex> => {
  const [answer] = await ask([{ method, params }])
  return requireHex(resultOf(answer), method)
}

const requireHex = (answer: unknown, method: string): Hex => {
  if (!isHex(answer)) throw new RpcFault('garbage', method)
  return answer
}

export const getBigint = async (ask: Ask, method: string, params: readonly unknown[]): Promise<bigint> =>
  readBigint(await getHex(ask, method, params), method)

export const hasCode = async (ask: Ask, address: Hex): Promise<boolean> =>
  (await getHex(ask, 'eth_getCode', [address, 'latest'])) !== '0x'

/** One time limit for all calls together: a person waits for the result. */
export const withinTime = ({ batch }: Pick<Rpc, 'batch'>, timeoutMs: number): Ask => {
  const deadline = performance.now() + timeoutMs
  return calls => batch(calls, { timeoutMs: Math.max(0, deadline - performance.now()) })
}

/** The answers that two nodes agree on. With one node, its answers. */
export const agreedBy =
  ({ agreed }: Pick<Rpc, 'agreed'>, timeoutMs: number): Ask =>
  async calls => {
    const pick = (answers: readonly unknown[]) =>
      answers.map((answer, at) => requireHex(resultOf(answer), `call ${at}`))
    const agreement = await agreed(calls, pick, { timeoutMs })
    if (agreement.outcome === 'disagreed') throw new RpcFault('garbage', 'the nodes do not agree')
    return agreement.value
  }

/**
 * Retries faults: a search makes a hundred calls, and public nodes limit their rate. Only for calls that are safe to
 * repeat.
 */
export const withRetries =
  (ask: Ask): Ask =>
  async calls => {
    for (let tries = 1; ; tries++) {
      try {
        return await ask(calls)
      } catch (error) {
        if (!(error instanceof RpcFault) || tries === MAX_TRIES) throw error
        await sleep(Math.min(error.retryAfterMs ?? tries * 500, 60_000))
      }
    }
  }

const MAX_TRIES = 4
