import type { Hex } from 'viem'
import type { Services } from '../actors/services.ts'
import { readHoldings } from '../chain/collect/holdings.ts'
import { type HoldingsAtBlock, isEmpty } from '../chain/collect/holdings-at-head.ts'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { agreedBy } from '../chain/rpc/ask.ts'
import { blockCall, findHeader } from '../chain/rpc/block.ts'
import { RpcFault, RpcRefusal, resultOf } from '../chain/rpc/rpc.ts'
import { listEmptyBlocks, recordEmptiness, settleEmptiness } from '../queries/collections.ts'

type Database = Pick<Services, 'sql'>

/** Addresses that were empty in a block which is final now are not checked again. */
export const settleEmpty = async ({ sql }: Database, { chain, rpc }: ConnectedChain, merchantId: string) => {
  const blocks = await listEmptyBlocks(sql, merchantId, chain.id)
  if (blocks.length === 0) return
  const calls = blocks.map(({ number }) => blockCall(number))
  const agreement = await unlessUnavailable(
    rpc.agreed(calls, answers =>
      answers.map((answer, at) => findHeader(resultOf(answer), { number: blocks[at]?.number ?? -1 })?.hash ?? null),
    ),
  )
  if (agreement?.outcome !== 'agreed') return
  for (const [at, block] of blocks.entries()) {
    const hash = agreement.value[at]
    if (hash) await settleEmptiness(sql, { merchantId, chainId: chain.id }, block, hash === block.hash)
  }
}

/** Records empty addresses, so that they are not checked again. Two nodes must agree: one node alone could hide money for good. */
export const rememberEmpty = async (
  { sql }: Database,
  { chain, rpc }: ConnectedChain,
  { holdings, block }: HoldingsAtBlock,
  tokens: readonly Hex[],
  timeoutMs: number,
) => {
  if (!block) return
  const claimed = holdings.filter(isEmpty).map(({ address }) => address)
  const at = { blockHash: block.hash }
  const agreed =
    rpc.nodes.length < 2 || claimed.length === 0
      ? holdings
      : await unlessUnavailable(readHoldings(agreedBy(rpc, timeoutMs), claimed, tokens, at))
  const empty = new Set((agreed ?? []).filter(isEmpty).map(({ address }) => address))
  const found = holdings
    .filter(holding => !isEmpty(holding) || empty.has(holding.address))
    .map(({ address }) => ({ address, empty: empty.has(address) }))
  await recordEmptiness(sql, chain.id, block, found)
}

/** Undefined if a node does not answer: the check can be repeated the next time. */
const unlessUnavailable = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcFault || error instanceof RpcRefusal) return undefined
    throw error
  }
}
