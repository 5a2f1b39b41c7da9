import { type Hex, isHex } from 'viem'
import { readBigint } from '../rpc/hex.ts'
import { answered, type Node, RpcFault, RpcRefusal } from '../rpc/rpc.ts'

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
