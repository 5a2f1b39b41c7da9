import { keccak256, stringToHex } from 'viem/utils'
import type { Sql } from '../../../postgres/connect.ts'
import { isOfNode, RpcFault, RpcRefusal } from '../../rpc/rpc.ts'
import type { Absence } from '../absence.ts'
import type { TransferLog } from '../books.ts'
import type { Place } from './balance-call.ts'
import type { Balances, Witness } from './balance-source.ts'
import { type Account, forgetLook, type Head, type Look, readAccounts, readHashes, recordLooks } from './looks.ts'
import { type Change, findChanges, sumOf } from './rises.ts'
import type { CoinSource } from './source.ts'
import { orRefusal } from './states.ts'

/** In place of a log's index: a balance has risen, and nobody says by which transaction. */
export const BY_BALANCE = -2

/** Accounts that something has come to, or was collected from, asked about at once. */
const AT_ONCE = 8

export type LookOptions = {
  /** Whether each that was looked at is remembered, or only where the books did not know what is there. */
  readonly remember: boolean
  /** Of the second of two nodes, which is waited for until it is long: windows end by a look. Without it, it always is. */
  readonly absence?: Absence | undefined
}

/** The nodes do not agree on what some addresses hold. Nothing of theirs is written down, and they are looked at again. */
export class Doubted extends Error {
  override readonly name = 'Doubted'
  readonly reason = 'its nodes do not agree on balances'
}

/**
 * Compares what addresses hold, at the block that the books have got to, with what the books know of them, and
 * writes down as a transfer what is there beyond that. Answers how many accounts are known now as far as that block.
 */
export const lookAt = async (
  sql: Sql,
  chainId: number,
  source: CoinSource,
  addresses: readonly string[],
  { remember, absence }: LookOptions,
): Promise<number> => {
  const orAlone = <T>(alone: () => Promise<T> | T) => {
    return (error: unknown) => {
      const mayBeAlone = isOfNode(error) && !isBehind(error) && (absence?.isLong() ?? true)
      if (!mayBeAlone) throw error
      return alone()
    }
  }
  // A node that is a block behind the other says nothing about what is in it.
  const reached = await source.reached().catch(orAlone(() => Number.MAX_SAFE_INTEGER))
  const read = await readAccounts(sql, chainId, addresses, reached)
  if (!read) return 0
  const { accounts } = read
  const asked = accounts.map(({ address }) => address)
  const both = async (): Promise<Balances> => {
    const balances = await source.balances(asked, read.head, 'both')
    absence?.end()
    return balances
  }
  const { minedAt, held } = await both().catch(orAlone(() => source.balances(asked, read.head, 'one')))
  // The books have the time that the one node told that was read.
  const head = { ...read.head, minedAt }
  const looks: Look[] = []
  const changed: { readonly account: Account; readonly balance: bigint }[] = []
  for (const [at, account] of accounts.entries()) {
    const expected = expectedOf(account, head.number)
    // What only one of two says is looked into as well.
    const balance = held[at]?.find(each => each !== expected)
    if (balance !== undefined) changed.push({ account, balance })
    else if (remember) looks.push({ account, upTo: head.number, points: [{ ...head, balance: expected }], found: [] })
  }
  let doubted = false
  let refusal: RpcRefusal | undefined
  const hashes: ReadonlyMap<number, string> = changed.length > 0 ? await readHashes(sql, chainId) : new Map()
  for (let from = 0; from < changed.length; from += AT_ONCE) {
    const part = changed.slice(from, from + AT_ONCE)
    const found = await Promise.all(
      part.map(({ account, balance }) =>
        explain(sql, { chainId, source, head, hashes }, account, balance).catch(orRefusal),
      ),
    )
    for (const look of found) {
      // What nodes refuse of one keeps nobody else waiting.
      if (look instanceof RpcRefusal) refusal ??= look
      else if (look) looks.push(look)
      else doubted = true
    }
  }
  const counted = await recordLooks(sql, chainId, looks, head)
  if (refusal) throw refusal
  if (doubted) throw new Doubted()
  return counted
}

const isBehind = (error: unknown): boolean => error instanceof RpcFault && error.reason === 'behind'

const expectedOf = ({ last, known }: Account, upTo: number): bigint =>
  (last?.balance ?? 0n) + sumOf(known, last?.number ?? 0, upTo)

type Here = {
  readonly chainId: number
  readonly source: CoinSource
  readonly head: Head
  readonly hashes: ReadonlyMap<number, string>
}

/** Where the balance changed, and by what; undefined while two nodes do not agree on that. */
const explain = async (sql: Sql, here: Here, account: Account, balance: bigint): Promise<Look | undefined> => {
  const { source, head } = here
  const placeOf = (number: number): Place => ({ number, hash: here.hashes.get(number) })
  const from = account.last ?? { number: 0, balance: 0n }
  const changes = await findChanges(from, { number: head.number, balance }, account.known, numbers =>
    source.balancesAt(account.address, numbers.map(placeOf)),
  )
  const points: Look['points'][number][] = []
  const found: Look['found'][number][] = []
  let base = from
  for (const change of changes) {
    const expectedBefore = base.balance + sumOf(account.known, base.number, change.number - 1)
    const witness = await source.agreedBalance(account.address, placeOf(change.number), placeOf(change.number - 1))
    if (witness?.after !== change.balance) return undefined
    if (witness.before !== undefined && witness.before !== expectedBefore) {
      // Of the block that was looked at last: then what stands in the books for it was a lie.
      if (account.last?.number === change.number - 1) await forgetLook(sql, here.chainId, account)
      return undefined
    }
    const { hash, minedAt } = witness
    points.push({ number: change.number, balance: change.balance, hash, minedAt })
    const risen = change.amount > 0n ? await transfersOf(here, account, change, witness) : []
    if (!risen) return undefined
    for (const each of risen) found.push({ ...each, minedAt })
    base = change
  }
  const isWhole = balance === base.balance + sumOf(account.known, base.number, head.number)
  if (isWhole && base.number < head.number) points.push({ ...head, balance })
  return { account, upTo: head.number, points, found }
}

/** A rise is of the transactions of its block that the reader passed over, and for the rest of a contract. */
const transfersOf = async (
  { chainId, source }: Here,
  { address, known }: Account,
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
