import { type } from 'arktype'
import type { Hex } from 'viem'
import type { Ask } from './ask.ts'
import { RpcRefusal } from './rpc.ts'

/**
 * Gives a node what was signed. Undefined once the node has it, which it may have had before: where the first answer
 * was lost it refuses what is known to it, or mined. Else what it said.
 */
export const broadcast = async (ask: Ask, signed: Hex, hash: Hex): Promise<RpcRefusal | undefined> => {
  const [answer] = await ask([{ method: 'eth_sendRawTransaction', params: [signed] }])
  if (!(answer instanceof RpcRefusal)) return undefined
  return (await isKnown(ask, hash)) ? undefined : answer
}

const isKnown = async (ask: Ask, hash: Hex): Promise<boolean> => {
  const [transaction] = await ask([{ method: 'eth_getTransactionByHash', params: [hash] }])
  return sent.allows(transaction)
}

const sent = type({ hash: 'string' })
