import { blockCall, findFullBlock, fullBlockCall, isBlock } from '../chain/rpc/block.ts'
import { readNumber, toQuantity } from '../chain/rpc/hex.ts'
import { type Rpc, type RpcAnswer, type RpcCall, RpcRefusal, resultOf } from '../chain/rpc/rpc.ts'
import type { Signer } from '../queries/refund-signers.ts'
import type { Final } from '../queries/submissions.ts'
import { findSigned, type SignedContent } from './signed-by.ts'

export type UsedBy = SignedContent & { readonly hash: string }

/** Questions at a time: each time what is searched shrinks to a sixteenth, and a long chain takes eight. */
const AT_ONCE = 15

/**
 * The transaction that has used a number for good, shown in its block: by two nodes, or by the one there is, and then
 * the key itself must have signed it for this number, so that a node cannot make it up. Null where nobody can show it,
 * as nodes that have forgotten old states, or no two the same; undefined where nodes are not as far as the books are.
 *
 * Only what is shown counts. How its block is found need not be believed: in another one it is not there.
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
    // Nodes forget old blocks too.
    if (error instanceof RpcRefusal) return null
    throw error
  }
}

/**
 * The first block after which the number is used, as far as nodes know: where they have forgotten what was, it counts
 * as unused.
 */
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

/** At even distances, the nearest to the second one last; at least one. */
const between = (low: number, high: number): readonly number[] => {
  const step = Math.ceil((high - low) / (AT_ONCE + 1))
  return Array.from({ length: Math.ceil((high - low) / step) - 1 }, (_, at) => low + step * (at + 1))
}
