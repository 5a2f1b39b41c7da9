import { type } from 'arktype'
import type { Hex } from 'viem'
import type { Ask } from './ask.ts'
import { RpcRefusal } from './rpc.ts'

/**
 * Broadcasts a signed transaction. Returns undefined once a node knows it, also where the node refuses it because it
 * knew or mined it before, such as when the first answer was lost. Otherwise returns the refusal.
 */
export const broadcast = async (ask: Ask, signed: Hex, hash: Hex): Promise<RpcRefusal | undefined> => {
  const [answer] = await ask([{ method: 'eth_sendRawTransaction', params: [signed] }])
  if (!(answer instanceof RpcRefusal)) return undefined
  return (await isKnown(ask, hash)) ? undefined : answer
}

const isKnown = async (ask: Ask, hash: Hex): Promise<boolean> => {
  const [transaction] = await ask([{ method: 'eth_getTransactionByHash', params: [hash] }])
  return withHash.allows(transaction)
}

const withHash = type({ hash: 'string' })
