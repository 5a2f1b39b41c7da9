import { blockCall, findFullBlock, fullBlockCall, isBlock } from '../chain/rpc/block.ts'
import { readNumber, toQuantity } from '../chain/rpc/hex.ts'
import { type Rpc, type RpcAnswer, type RpcCall, RpcRefusal, resultOf } from '../chain/rpc/rpc.ts'
import type { Signer } from '../queries/refund-signers.ts'
import type { Final } from '../queries/submissions.ts'
import { findSigned, type SignedContent } from './signed-by.ts'

export type UsedBy = SignedContent & { readonly hash: string }

/** Calls per round. Each round reduces the range to a sixteenth, so a long chain takes eight rounds. */
const MAX_PARALLEL = 15

/**
 * The final transaction that has used a nonce, shown in its block by two nodes. If there is only one node, the
 * transaction must also be signed by the key with this nonce, so that the node cannot invent it. Null if no node can
 * show it, for example because nodes have pruned old states, or they do not agree. Undefined if the nodes are behind
 * the database.
 *
 * The search for the block need not be trusted: a wrong block does not contain the transaction.
 */
export const findUsedBy = async (
  rpc: Rpc,
  { address, chain_id }: Signer,
  nonce: number,
  final: Final,
): Promise<UsedBy | null | undefined> => {
  const number = await findBlockOf(rpc, address, nonce, final.number)
  const calls = [fullBlockCall(number), blockCall(final.number)]
  try {
    const agreement = await rpc.agreed(calls, ([block, last]) => {
      if (!isBlock(resultOf(last), final)) return 'elsewhere'
      const there = findFullBlock(resultOf(block), { number })?.transactions
      const found = there?.find(each => each.from === address && each.nonce === BigInt(nonce))
      return found ? { hash: found.hash, to: found.to, value: found.value, input: found.input } : null
    })
    if (agreement.outcome === 'disagreed') return null
    if (agreement.value === 'elsewhere') return undefined
    const { value: found, nodes } = agreement
    if (found === null || nodes.length > 1) return found
    const signed = await findSigned(rpc, found.hash, { address, nonce, chainId: Number(chain_id) })
    return signed ? { hash: found.hash, ...signed } : null
  } catch (error) {
    // Nodes may have pruned old blocks too.
    if (error instanceof RpcRefusal) return null
    throw error
  }
}

/** The first block after which the nonce is used. Blocks whose state was pruned count as not having used it. */
const findBlockOf = async (rpc: Rpc, address: string, nonce: number, to: number): Promise<number> => {
  const countAt = (number: number): RpcCall => ({
    method: 'eth_getTransactionCount',
    params: [address, toQuantity(number)],
  })
  const isOver = (answer: RpcAnswer) =>
    answer !== null && !(answer instanceof RpcRefusal) && readNumber(answer, 'a nonce') > nonce
  let [unused, used] = [-1, to]
  while (used - unused > 1) {
    const numbers = between(unused, used)
    const isUsed = await rpc.read(numbers.map(countAt), answers => answers.map(isOver))
    const first = isUsed.indexOf(true)
    used = numbers[first] ?? used
    unused = numbers[first === -1 ? numbers.length - 1 : first - 1] ?? unused
  }
  return used
}

/** Numbers at even distances between the two, at least one. */
const between = (low: number, high: number): readonly number[] => {
  const step = Math.ceil((high - low) / (MAX_PARALLEL + 1))
  return Array.from({ length: Math.ceil((high - low) / step) - 1 }, (_, at) => low + step * (at + 1))
}
