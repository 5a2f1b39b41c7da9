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
import { LIMIT_EXCEEDED, toldOrGone } from './coins/states.ts'
import { TRANSFER, topicOf, transferLogOf } from './transfer-of.ts'

/** An address that received a token in a block. */
export type TokenReceipt = { readonly token: string; readonly address: string; readonly block: Cursor }

/**
 * By how much the balance rose in the block, 0 where the token does not answer; where the nodes no longer have the
 * states of the block, the balance now.
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
/** Of more answers than these all are forgotten and asked for again. */
const MOST_KNOWN = 20_000

export const openTokenRise = (rpc: Rpc): TokenRiseSource => {
  // What is to become final is asked about again when the attempt failed: the answers for a block do not change.
  const known = new Map<string, TokenRise>()

  const askNew = (receipts: readonly TokenReceipt[]): Promise<readonly true[] | undefined> => {
    // Nodes that lack the states of a block lack those of all lower blocks: with the highest block first, the first
    // block without states decides how all that follow are asked about.
    const inOrder = receipts.toSorted((a, b) => b.block.number - a.block.number)
    let goneUpTo = -1
    return inParts(inOrder, RECEIPTS_AT_ONCE, async part => {
      const [first] = part
      if (!first) return []
      let rises: readonly TokenRise[] | undefined
      if (first.block.number <= goneUpTo) rises = await balancesNow(rpc, part)
      else if (part.length > 1) rises = await risesIn(rpc, part)
      else {
        const rise = await riseOrGone(rpc, first)
        if (rise === 'gone') goneUpTo = first.block.number
        rises = rise === 'gone' ? await balancesNow(rpc, part) : rise && [rise]
      }
      return rises?.map((rise, at) => {
        const receipt = part[at]
        if (receipt) known.set(keyOf(receipt), rise)
        return true as const
      })
    })
  }

  return {
    tokenRises: async receipts => {
      if (known.size > MOST_KNOWN) known.clear()
      const unknown = new Map(receipts.map(receipt => [keyOf(receipt), receipt]))
      for (const key of unknown.keys()) if (known.has(key)) unknown.delete(key)
      if (!(await askNew([...unknown.values()]))) return undefined
      return receipts.map(receipt => known.get(keyOf(receipt)) ?? NO_RISE)
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

const heldNow = (rpc: Rpc, receipts: readonly TokenReceipt[]) =>
  rpc.agreed(
    receipts.map(({ token, address }) => balanceCall(token, address, 'latest')),
    answers => answers.map(balanceIn),
  )

const balancesNow = async (rpc: Rpc, receipts: readonly TokenReceipt[]): Promise<readonly TokenRise[] | undefined> => {
  try {
    return agreedOn(await heldNow(rpc, receipts))?.map(amount => ({ amount, measured: 'now' }))
  } catch (error) {
    if (receipts.length > 1 || !isOfToken(error)) throw error
    return [NO_RISE]
  }
}

const riseOrGone = async (rpc: Rpc, receipt: TokenReceipt): Promise<TokenRise | 'gone' | undefined> => {
  try {
    const rises = await toldOrGone(
      () => risesIn(rpc, [receipt]),
      () => heldNow(rpc, [receipt]),
    )
    return rises === 'gone' ? rises : rises?.[0]
  } catch (error) {
    if (!isOfToken(error)) throw error
    return NO_RISE
  }
}

/** The refusal is the token's answer, and no limit of the node: a token without an answer is not credited. */
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

/** With little gas: a token that eats it keeps no chain from being read on. */
const balanceCall = (token: string, address: string, place: object | string): RpcCall => ({
  method: 'eth_call',
  params: [{ to: token, data: `${BALANCE_OF}${address.slice(2).padStart(64, '0')}`, gas: toQuantity(200_000) }, place],
})

const balanceIn = (answer: RpcAnswer): bigint => {
  const word = readBytes(resultOf(answer), 'the balance of a token')
  return word.length === 66 ? BigInt(word) : 0n
}
