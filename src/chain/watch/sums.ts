import type { Payment, PaymentEvent, Scan, Seen } from '../../../machines/payment-events.ts'
import { isEnough, isInTime, minimumSum } from '../../../machines/payment-sums.ts'
import type { Actor } from '../../actors/kind.ts'

/** All transfers to a payment's addresses in one block, of one asset; orphaned ones are left out. */
export type Received = {
  readonly chainId: number
  readonly blockNumber: number
  readonly blockHash: string
  readonly minedAt: Date
  readonly token: string | null
  readonly amount: bigint
  /** How many there are. */
  readonly transfers: number
  readonly final: boolean
  readonly last: TransferSender
}

/** Of a transfer. */
export type TransferSender = {
  /** Null where the chain does not tell which transaction it was. */
  readonly txHash: string | null
  readonly logIndex: number
  readonly from: string | null
}

/** Finds the transfer with which those of a block reach an amount; undefined when they are there no more. */
export type FindCompleting = (received: Received, amount: bigint) => Promise<TransferSender | undefined>

/** What the books have of a payment at a step. */
type Read = {
  readonly received: readonly Received[]
  readonly hasLostAgreed: boolean
  readonly isUnexplained: boolean
  readonly scan: number
}

type Claim = Omit<PaymentEvent, 'at'> & { readonly type: PaymentEvent['type'] }

/**
 * What can be said to a payment about its transfers, as of a step of its chain's books: one of these
 * is news, or none is. Which of them it takes is for its machine to say, so the rules stand there alone. Undefined when
 * the transfers have changed since they were read.
 */
export const claimsOf = async (
  { state, context: payment }: Actor<Payment>,
  { received, hasLostAgreed, isUnexplained, scan }: Read,
  find: FindCompleting,
): Promise<readonly Claim[] | undefined> => {
  const { chainId, asset, tokenAddress } = payment
  if (chainId === null || asset === null) return []
  const isPicked = (transfer: Received) => transfer.chainId === chainId && transfer.token === tokenAddress
  const picked = received.filter(isPicked)
  const of = { chainId, asset, scan }
  const counted = counting(state, payment, picked)
  const sum = await sumOf(payment, counted, find)
  if (!sum) return undefined
  const seen = { ...of, ...sum, hasLostAgreed }
  const amountFinal = totalOf(counted.filter(({ final }) => final))
  return [
    ...(seenIn[state] ?? []).map(type => ({ type, ...seen }) as Claim),
    ...(finalIn[state] ?? []).map(type => ({ type, ...of, amountFinal }) as Claim),
    ...(state === 'pending' && picked.some(transfer => missesPrice(payment, transfer)) ? [PRICE_MISSED] : []),
    ...(isUnexplained !== payment.collectionUnexplained && state !== 'success'
      ? [isUnexplained ? COLLECTION_UNEXPLAINED : COLLECTION_GONE]
      : []),
    ...strayOf(
      payment,
      received.filter(transfer => !isPicked(transfer)),
    ),
  ]
}

const endedFinal = ['late_accepted', 'late_finalized'] as const
const seenIn: Readonly<Record<string, readonly PaymentEvent['type'][]>> = {
  pending: ['enough_seen', 'too_little_seen', 'less_seen', 'amount_seen'],
  processing: ['reorganized', 'amount_seen'],
  success: ['amount_seen'],
  expired: ['amount_seen'],
  failed: ['amount_seen'],
  canceled: ['amount_seen'],
}
const finalIn: Readonly<Record<string, readonly PaymentEvent['type'][]>> = {
  pending: ['amount_finalized'],
  processing: ['finalized', 'amount_finalized'],
  success: ['amount_finalized'],
  expired: endedFinal,
  failed: endedFinal,
  canceled: endedFinal,
}

/** While a payment waits, money that came after its window is not yet its own: the window's end decides first. */
const counting = (state: string, payment: Payment, picked: readonly Received[]): readonly Received[] =>
  state === 'pending' ? picked.filter(transfer => isInTime(payment, transfer)) : picked

const COLLECTION_UNEXPLAINED: Claim = { type: 'collection_unexplained' }
const COLLECTION_GONE: Claim = { type: 'collection_gone' }
const PRICE_MISSED: Claim = { type: 'price_missed' }

const missesPrice = (payment: Payment, transfer: Received): boolean =>
  transfer.final && transfer.minedAt <= payment.expiresAt && !isInTime(payment, transfer)

/** What a column of atomic units holds. A worthless token can be sent more often than that, as much as there can be of it. */
const MOST = 10n ** 78n - 1n

const totalOf = (received: readonly Received[]): bigint => {
  const sum = received.reduce((sum, { amount }) => sum + amount, 0n)
  return sum < MOST ? sum : MOST
}

/** The sum, and the transfer that made it enough; as long as none did, the last one. */
const sumOf = async (
  payment: Payment,
  received: readonly Received[],
  find: FindCompleting,
): Promise<Omit<Seen, keyof Scan | 'hasLostAgreed'> | undefined> => {
  const inOrder = received.toSorted((a, b) => a.blockNumber - b.blockNumber || a.last.logIndex - b.last.logIndex)
  let before = 0n
  const completing = inOrder.find(({ amount }) => {
    if (isEnough(payment, before + amount)) return true
    before += amount
    return false
  })
  const told = completing ?? inOrder.at(-1)
  const isOneOfMany = completing !== undefined && completing.transfers > 1
  const sender = isOneOfMany ? await find(completing, minimumSum(payment) - before) : told?.last
  if (told && !sender) return undefined
  const times = inOrder.map(({ minedAt }) => minedAt.getTime())
  return {
    amountReceived: totalOf(inOrder),
    payerAddress: sender?.from ?? null,
    txHash: sender?.txHash ?? null,
    blockNumber: told?.blockNumber ?? null,
    minedAt: times.length > 0 ? new Date(times.reduce((latest, time) => Math.max(latest, time))) : null,
  }
}

/** Money of another asset or on another chain, told once, and again when more of it is final, or none is left. */
const strayOf = (payment: Payment, others: readonly Received[]): readonly Claim[] => {
  const [first] = others
  if (!first) return payment.stray === null ? [] : [{ type: 'stray_gone' }]
  const stray = others.some(({ chainId }) => chainId === payment.chainId) ? 'wrong_asset' : 'wrong_chain'
  const finalStrays = others.reduce((count, { final, transfers }) => (final ? count + transfers : count), 0)
  const known = payment.stray !== null && payment.finalStrays >= finalStrays
  return known ? [] : [{ type: 'stray_seen', stray, finalStrays } as Claim]
}
