import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { Ask } from '../rpc/ask.ts'
import { type BlockHeader, blockCall, readHeader } from '../rpc/block.ts'
import { RpcFault, RpcRefusal, resultOf } from '../rpc/rpc.ts'
import { type Holding, readHoldings } from './holdings.ts'

export type HoldingsAtBlock = {
  readonly holdings: readonly Holding[]
  /** The block in which all balances were read; undefined where the node does not support queries by block hash. */
  readonly block: Pick<BlockHeader, 'number' | 'hash'> | undefined
}

/** Reads the balances of addresses at the head of the chain, which is at least the block `atLeast`. */
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

/** After a transaction, the next request may reach a node that does not have its block yet. */
const readHead = async (ask: Ask, atLeast: number): Promise<BlockHeader> => {
  for (let asked = 1; ; asked++) {
    const [answer] = await ask([blockCall('latest')])
    const head = readHeader(resultOf(answer))
    if (head.number >= atLeast) return head
    if (asked === MAX_POLLS) throw new RpcFault('behind')
    await sleep(POLL_MS)
  }
}

const POLL_MS = 250
const MAX_POLLS = 40

export const isEmpty = ({ native, tokens }: Holding): boolean => native === 0n && tokens.every(amount => amount === 0n)
