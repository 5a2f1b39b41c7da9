import type { Cursor } from '../../chain-log.ts'
import { blockCall, isBlock } from '../../rpc/block.ts'
import { inParts } from '../../rpc/in-parts.ts'
import { agreedOn, type Rpc, type RpcAnswer, resultOf } from '../../rpc/rpc.ts'
import { balanceCall, balanceOf } from './balance-call.ts'
import { askAgain, toldOrGone } from './states.ts'

export type BalanceAtBlock = { readonly address: string; readonly block: Cursor }

const BLOCKS_AT_ONCE = 50

/** From the highest block back: where the state of one is gone, so are those of all before it, and it is enough that their blocks are there. */
export const openAgreedBalances =
  (rpc: Rpc) =>
  async (held: readonly BalanceAtBlock[]): Promise<readonly (bigint | false)[] | undefined> => {
    const ask = async (part: readonly BalanceAtBlock[]): Promise<readonly bigint[] | undefined> => {
      const headers = part.map(({ block }) => blockCall(block.number))
      const balances = part.map(({ address, block }) => balanceCall(address, block))
      const agreement = await rpc.agreed([...headers, ...balances], answers => {
        const areThere = part.every(({ block }, at) => isBlock(resultOf(answers[at]), block))
        return areThere ? answers.slice(part.length).map(balanceOf) : null
      })
      return agreedOn(agreement) ?? undefined
    }
    /** The heads of two nodes are seldom the same: only that there is one counts. */
    const askLatest = ({ address }: BalanceAtBlock) =>
      rpc.agreed([balanceCall(address, 'latest')], ([answer]) => balanceOf(answer) >= 0n)
    const areThere = async (part: readonly BalanceAtBlock[]) => {
      const calls = part.map(({ block }) => blockCall(block.number))
      const read = (answers: readonly RpcAnswer[]) =>
        part.every(({ block }, at) => isBlock(resultOf(answers[at]), block))
      return agreedOn(await askAgain(() => rpc.agreed(calls, read)))
    }

    const fromHighest = held.toSorted((a, b) => b.block.number - a.block.number)
    let areGone = false
    const balances = await inParts<BalanceAtBlock, bigint | false>(fromHighest, BLOCKS_AT_ONCE, async part => {
      const [first] = part
      if (areGone || !first) return part.map(() => false)
      if (part.length > 1) return ask(part)
      const told = await toldOrGone(
        () => ask(part),
        () => askLatest(first),
      )
      areGone = told === 'gone'
      return told === 'gone' ? [false] : told
    })
    if (!balances) return undefined
    const gone = fromHighest.filter((_, at) => balances[at] === false)
    const headers = await inParts(gone, BLOCKS_AT_ONCE, async part => ((await areThere(part)) ? part : undefined))
    if (!headers) return undefined
    const told = new Map(fromHighest.map((each, at) => [each, balances[at] ?? false]))
    return held.map(each => told.get(each) ?? false)
  }
