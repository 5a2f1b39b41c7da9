import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { Ask } from '../rpc/ask.ts'
import { type BlockHeader, blockAt, readHeader } from '../rpc/block.ts'
import { answered, RpcFault, RpcRefusal } from '../rpc/rpc.ts'
import { type Holding, readHoldings } from './holdings.ts'

export type HoldingsAtBlock = {
  readonly holdings: readonly Holding[]
  /** The block all of it was read in; undefined where the node does not answer by the hash of a block. */
  readonly block: Pick<BlockHeader, 'number' | 'hash'> | undefined
}

/** What addresses hold at the head of the chain, which is at least the given block. */
export const readHoldingsAtHead = async (
  ask: Ask,
  addresses: readonly Hex[],
  tokens: readonly Hex[],
  atLeast = 0,
): Promise<HoldingsAtBlock> => {
  const block = await readHead(ask, atLeast)
  try {
    return { holdings: await readHoldings(ask, addresses, tokens, { blockHash: block.hash }), block }
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error
    return { holdings: await readHoldings(ask, addresses, tokens), block: undefined }
  }
}

/** Who has just sent something may be answered by a node that has not seen it yet. */
const readHead = async (ask: Ask, atLeast: number): Promise<BlockHeader> => {
  for (let asked = 1; ; asked++) {
    const [answer] = await ask([blockAt('latest')])
    const head = readHeader(answered(answer))
    if (head.number >= atLeast) return head
    if (asked === mostAsked) throw new RpcFault('behind')
    await sleep(everyMs)
  }
}

const everyMs = 250
const mostAsked = 40

export const isEmpty = ({ coins, tokens }: Holding): boolean => coins === 0n && tokens.every(amount => amount === 0n)
