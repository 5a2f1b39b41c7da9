import type { Cursor } from '../chain-log.ts'
import { blockCall, isBlock } from '../rpc/block.ts'
import { readBytes, toQuantity } from '../rpc/hex.ts'
import { inParts } from '../rpc/in-parts.ts'
import { blockLogsCall, type LogFilter, readLogs } from '../rpc/log.ts'
import {
  agreedOn,
  isTooLarge,
  type Rpc,
  type RpcAnswer,
  type RpcCall,
  RpcFault,
  RpcRefusal,
  resultOf,
} from '../rpc/rpc.ts'
import { LIMIT_EXCEEDED, orPruned } from './native/pruned-states.ts'
import { TRANSFER, topicOf, transferLogOf } from './transfer-log.ts'

/** An address that received a token in a block. */
export type TokenReceipt = { readonly token: string; readonly address: string; readonly block: Cursor }

/**
 * The increase of the balance in the block, 0 where the token does not answer. Where the nodes have pruned the states
 * of the block: the current balance.
 */
export type TokenRise = { readonly amount: bigint; readonly measured: 'in block' | 'now' }

/** Transfers of a token in a block. Null: from, or to, any address. */
export type TokenTransfers = {
  readonly token: string
  readonly from: string | null
  readonly to: string | null
  readonly block: Cursor
}

export type TokenRiseSource = {
  /** One for each receipt, as two nodes agree; undefined while they do not. */
  tokenRises(receipts: readonly TokenReceipt[]): Promise<readonly TokenRise[] | undefined>
  /**
   * How much these transfers move by the token's logs, as two nodes agree; null where the nodes refuse to list them.
   * Undefined while they do not agree.
   */
  tokensMoved(transfers: readonly TokenTransfers[]): Promise<readonly (bigint | null)[] | undefined>
}

const RECEIPTS_AT_ONCE = 100
/** When the cache exceeds this size, it is emptied. */
const MAX_CACHED = 20_000

export const openTokenRise = (rpc: Rpc): TokenRiseSource => {
  // A cache: after a failed attempt, finalization asks again for the same blocks, whose answers do not change.
  const cache = new Map<string, TokenRise>()

  const askNew = (receipts: readonly TokenReceipt[]): Promise<readonly true[] | undefined> => {
    // Nodes that have pruned the states of a block have pruned those of all lower blocks: with the highest block first,
    // the first block without states decides for all that follow.
    const inOrder = receipts.toSorted((a, b) => b.block.number - a.block.number)
    let prunedUpTo = -1
    return inParts(inOrder, RECEIPTS_AT_ONCE, async part => {
      const [first] = part
      if (!first) return []
      let rises: readonly TokenRise[] | undefined
      if (first.block.number <= prunedUpTo) rises = await balancesNow(rpc, part)
      else if (part.length > 1) rises = await risesIn(rpc, part)
      else {
        const rise = await riseOrPruned(rpc, first)
        if (rise === 'pruned') prunedUpTo = first.block.number
        rises = rise === 'pruned' ? await balancesNow(rpc, part) : rise && [rise]
      }
      return rises?.map((rise, at) => {
        const receipt = part[at]
        if (receipt) cache.set(keyOf(receipt), rise)
        return true as const
      })
    })
  }

  return {
    tokenRises: async receipts => {
      if (cache.size > MAX_CACHED) cache.clear()
      const unknown = new Map(receipts.map(receipt => [keyOf(receipt), receipt]))
      for (const key of unknown.keys()) if (cache.has(key)) unknown.delete(key)
      if (!(await askNew([...unknown.values()]))) return undefined
      return receipts.map(receipt => cache.get(keyOf(receipt)) ?? NO_RISE)
    },
    tokensMoved: transfers => inParts(transfers, RECEIPTS_AT_ONCE, part => movedIn(rpc, part)),
  }
}

const keyOf = ({ token, address, block }: TokenReceipt) => `${block.hash} ${token} ${address}`

const NO_RISE: TokenRise = { amount: 0n, measured: 'in block' }

const risesIn = async (rpc: Rpc, receipts: readonly TokenReceipt[]): Promise<readonly TokenRise[] | undefined> => {
  const calls = receipts.flatMap(({ token, address, block }) => [
    blockCall(block.number),
    balanceCall(token, address, { blockHash: block.hash }),
    balanceCall(token, address, toQuantity(block.number - 1)),
  ])
  const amounts = await rpc.agreed(calls, answers =>
    receipts.map(({ block }, at) => {
      if (!isBlock(resultOf(answers[3 * at]), block)) throw new RpcFault('behind')
      return balanceIn(answers[3 * at + 1]) - balanceIn(answers[3 * at + 2])
    }),
  )
  return agreedOn(amounts)?.map(amount => ({ amount, measured: 'in block' }))
}

const readBalancesNow = (rpc: Rpc, receipts: readonly TokenReceipt[]) =>
  rpc.agreed(
    receipts.map(({ token, address }) => balanceCall(token, address, 'latest')),
    answers => answers.map(balanceIn),
  )

const balancesNow = async (rpc: Rpc, receipts: readonly TokenReceipt[]): Promise<readonly TokenRise[] | undefined> => {
  try {
    return agreedOn(await readBalancesNow(rpc, receipts))?.map(amount => ({ amount, measured: 'now' }))
  } catch (error) {
    if (receipts.length > 1 || !isOfToken(error)) throw error
    return [NO_RISE]
  }
}

const riseOrPruned = async (rpc: Rpc, receipt: TokenReceipt): Promise<TokenRise | 'pruned' | undefined> => {
  try {
    const rises = await orPruned(
      () => risesIn(rpc, [receipt]),
      () => readBalancesNow(rpc, [receipt]),
    )
    return rises === 'pruned' ? rises : rises?.[0]
  } catch (error) {
    if (!isOfToken(error)) throw error
    return NO_RISE
  }
}

/** The token refuses and not the node because of a limit: a token without an answer is not credited. */
const isOfToken = (error: unknown): boolean => error instanceof RpcRefusal && error.code !== LIMIT_EXCEEDED

const movedIn = async (
  rpc: Rpc,
  transfers: readonly TokenTransfers[],
): Promise<readonly (bigint | null)[] | undefined> => {
  const filters = transfers.map(
    ({ token, from, to }): LogFilter => ({
      addresses: [token],
      topics: [TRANSFER, from === null ? null : topicOf(from), ...(to === null ? [] : [topicOf(to)])],
    }),
  )
  const calls = transfers.flatMap(({ block }, at) => {
    const filter = filters[at]
    return filter ? [blockCall(block.number), blockLogsCall(block.hash, filter)] : []
  })
  try {
    const sums = await rpc.agreed(calls, answers =>
      transfers.map(({ block }, at) => {
        if (!isBlock(resultOf(answers[2 * at]), block)) throw new RpcFault('behind')
        const logs = readLogs(resultOf(answers[2 * at + 1]), filters[at])
        return logs.reduce((sum, log) => sum + (transferLogOf(log)?.amount ?? 0n), 0n)
      }),
    )
    return agreedOn(sums)
  } catch (error) {
    const isRateLimit = error instanceof RpcRefusal && error.code === LIMIT_EXCEEDED
    if (transfers.length > 1 || isRateLimit || !isTooLarge(error)) throw error
    return [null]
  }
}

const BALANCE_OF = '0x70a08231'

/** With little gas, so that a token that uses all of it does not stop the reading of the chain. */
const balanceCall = (token: string, address: string, place: object | string): RpcCall => ({
  method: 'eth_call',
  params: [{ to: token, data: `${BALANCE_OF}${address.slice(2).padStart(64, '0')}`, gas: toQuantity(200_000) }, place],
})

const balanceIn = (answer: RpcAnswer): bigint => {
  const word = readBytes(resultOf(answer), 'the balance of a token')
  return word.length === 66 ? BigInt(word) : 0n
}
