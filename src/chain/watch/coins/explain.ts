import { keccak256, stringToHex } from 'viem/utils'
import type { Sql } from '../../../postgres/connect.ts'
import type { TransferLog } from '../../chain-log.ts'
import type { BlockRef } from './balance-call.ts'
import type { Witness } from './balance-source.ts'
import { findDeploymentBlock } from './deployment.ts'
import { type ChainHead, forgetLook, type NativeAccount, type NativeCheck } from './looks.ts'
import { type Change, findChanges, type Point, sumOf } from './rises.ts'
import type { CoinSource } from './source.ts'

/** In place of a log's index: a balance has risen, and no node says by which transaction. */
export const BY_BALANCE = -2

export type Here = {
  readonly chainId: number
  readonly source: CoinSource
  readonly head: ChainHead
  readonly hashes: ReadonlyMap<number, string>
}

/** An account that the books do not explain: by its balance at the head, or by what was collected from it. */
export type Changed = {
  readonly account: NativeAccount
  readonly balance: bigint
  /** All nodes say that it has code at the head. */
  readonly hasCode: boolean
  readonly isCollected: boolean
}

/** Where the balance changed, and by what; undefined while two nodes do not agree on that. */
export const explain = async (
  sql: Sql,
  here: Here,
  { account, balance, hasCode, isCollected }: Changed,
): Promise<NativeCheck | undefined> => {
  const { source, head } = here
  const placeOf = (number: number): BlockRef => ({ number, hash: here.hashes.get(number) })
  const from: Point = account.last ?? { number: 0, balance: 0n }
  const balancesAt = (numbers: readonly number[]) => source.balancesAt(account.address, numbers.map(placeOf))
  const collected = isCollected ? await beforeDeployment(here, account, from) : undefined
  const hidden = collected ? await findChanges(from, collected, account.known, balancesAt) : []
  const later = await findChanges(hidden.at(-1) ?? from, { number: head.number, balance }, account.known, balancesAt)
  const hasCodeIn = (number: number) =>
    account.last?.hasCode === true ||
    (number === head.number && hasCode) ||
    (collected !== undefined && number > collected.number)
  const points: NativeCheck['points'][number][] = []
  const found: NativeCheck['found'][number][] = []
  let base = from
  for (const change of [...hidden, ...later]) {
    const expectedBefore = base.balance + sumOf(account.known, base.number, change.number - 1)
    const witness = await source.agreedBalance(account.address, placeOf(change.number), placeOf(change.number - 1))
    if (witness?.after !== change.balance) return undefined
    if (witness.before !== undefined && witness.before !== expectedBefore) {
      // Of the block that was looked at last: then what stands in the books for it was a lie.
      if (account.last?.number === change.number - 1) await forgetLook(sql, here.chainId, account)
      return undefined
    }
    const { hash, minedAt } = witness
    const { number, balance: after } = change
    points.push({ number, balance: after, hash, minedAt, hasCode: hasCodeIn(number) })
    const risen = change.amount > 0n ? await transfersOf(here, account, change, witness) : []
    if (!risen) return undefined
    for (const each of risen) found.push({ ...each, minedAt })
    base = change
  }
  const isUnexplained = isCollected && found.length === 0
  // One of two nodes that makes code up has no person look.
  if (isUnexplained && !hasCode) return undefined
  const isWhole = balance === base.balance + sumOf(account.known, base.number, head.number)
  if (isWhole && base.number < head.number) points.push({ ...head, balance, hasCode })
  const unexplainedIn = isUnexplained ? (points.find(point => point.hasCode)?.number ?? head.number) : null
  return { account, upTo: head.number, points, found, unexplainedIn }
}

/**
 * What it held before the block in which it was collected from for the first time: balances at both ends of a longer time
 * show nothing of what came and went in between. Undefined where no node has the states any more.
 */
const beforeDeployment = async (
  { source, head, hashes }: Here,
  { address }: NativeAccount,
  from: Point,
): Promise<Point | undefined> => {
  const placeOf = (number: number): BlockRef => ({ number, hash: hashes.get(number) })
  const hasCodeAt = (number: number) => source.hasCodeAt(address, placeOf(number), placeOf(head.number))
  const deployed = await findDeploymentBlock(hasCodeAt, from.number, head.number)
  if (deployed === undefined || deployed - 1 <= from.number) return undefined
  const [balance] = await source.balancesAt(address, [deployed - 1, head.number].map(placeOf))
  return balance === undefined ? undefined : { number: deployed - 1, balance }
}

/** A rise is of the transactions of its block that the reader passed over, and for the rest of a contract. */
const transfersOf = async (
  { chainId, source }: Here,
  { address, known }: NativeAccount,
  { number, amount }: Change,
  { hash }: Witness,
): Promise<readonly TransferLog[] | undefined> => {
  const sent = await source.sentIn([{ number, hash }])
  if (!sent) return undefined
  const isKnown = (txHash: string) => known.some(each => each.txHash === txHash && each.blockNumber === number)
  const toIt = sent.filter(({ to, txHash }) => to === address && !isKnown(txHash))
  const agreed = (await source.agreedSent(toIt)) ?? []
  const rest = agreed.reduce((left, each) => left - each.amount, amount)
  const own = rest < 0n ? [] : agreed
  const risen = rest < 0n ? amount : rest
  if (risen === 0n) return own
  const block = { blockNumber: number, blockHash: hash }
  const txHash = nameOf(chainId, address, number)
  return [...own, { txHash, logIndex: BY_BALANCE, ...block, token: null, from: null, to: address, amount: risen }]
}

/** Stands where the hash of a transaction would: the same for whoever finds the same rise. */
const nameOf = (chainId: number, address: string, number: number): string =>
  keccak256(stringToHex(`${chainId} ${address} ${number} balance`))
