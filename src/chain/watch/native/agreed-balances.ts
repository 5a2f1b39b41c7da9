import type { Cursor } from '../../chain-log.ts'
import { blockCall, isBlock } from '../../rpc/block.ts'
import { inParts } from '../../rpc/in-parts.ts'
import { agreedOn, type Rpc, type RpcAnswer, resultOf } from '../../rpc/rpc.ts'
import { balanceCall, balanceOf } from './balance-call.ts'
import { orPruned, retryRefused } from './pruned-states.ts'

export type BalanceAtBlock = { readonly address: string; readonly block: Cursor }

const BLOCKS_AT_ONCE = 50

/**
 * Reads balances that two nodes agree on, from the highest block down: where the state of a block is pruned, so are
 * those of all lower blocks. For these it is enough that the blocks exist.
 */
export const openAgreedBalances =
  (rpc: Rpc) =>
  async (wanted: readonly BalanceAtBlock[]): Promise<readonly (bigint | false)[] | undefined> => {
    const ask = async (part: readonly BalanceAtBlock[]): Promise<readonly bigint[] | undefined> => {
      const headers = part.map(({ block }) => blockCall(block.number))
      const balances = part.map(({ address, block }) => balanceCall(address, block))
      const agreement = await rpc.agreed([...headers, ...balances], answers => {
        const areThere = part.every(({ block }, at) => isBlock(resultOf(answers[at]), block))
        return areThere ? answers.slice(part.length).map(balanceOf) : null
      })
      return agreedOn(agreement) ?? undefined
    }
    /** The heads of two nodes are rarely equal: only that there is a balance is compared. */
    const askLatest = ({ address }: BalanceAtBlock) =>
      rpc.agreed([balanceCall(address, 'latest')], ([answer]) => balanceOf(answer) >= 0n)
    const areThere = async (part: readonly BalanceAtBlock[]) => {
      const calls = part.map(({ block }) => blockCall(block.number))
      const read = (answers: readonly RpcAnswer[]) =>
        part.every(({ block }, at) => isBlock(resultOf(answers[at]), block))
      return agreedOn(await retryRefused(() => rpc.agreed(calls, read)))
    }

    const fromHighest = wanted.toSorted((a, b) => b.block.number - a.block.number)
    let arePruned = false
    const balances = await inParts<BalanceAtBlock, bigint | false>(fromHighest, BLOCKS_AT_ONCE, async part => {
      const [first] = part
      if (arePruned || !first) return part.map(() => false)
      if (part.length > 1) return ask(part)
      const balance = await orPruned(
        () => ask(part),
        () => askLatest(first),
      )
      arePruned = balance === 'pruned'
      return balance === 'pruned' ? [false] : balance
    })
    if (!balances) return undefined
    const pruned = fromHighest.filter((_, at) => balances[at] === false)
    const headers = await inParts(pruned, BLOCKS_AT_ONCE, async part => ((await areThere(part)) ? part : undefined))
    if (!headers) return undefined
    const balanceOfEach = new Map(fromHighest.map((each, at) => [each, balances[at] ?? false]))
    return wanted.map(each => balanceOfEach.get(each) ?? false)
  }
