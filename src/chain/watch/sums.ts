import type { Payment, PaymentEvent, Scan, Seen } from '../../../machines/payment-events.ts'
import { isEnough, isInTime, isPicked, minimumSum, type Transferred } from '../../../machines/payment-sums.ts'
import type { Actor } from '../../actors/kind.ts'

/** The sum of the transfers of one asset to a payment's addresses in one block, without orphaned ones. */
export type Received = Transferred & {
  readonly blockNumber: number
  readonly blockHash: string
  /** The number of transfers. */
  readonly transfers: number
  readonly last: TransferSender
}

/** The transaction and sender of a transfer. */
export type TransferSender = {
  /** Null where the transaction is not known (see native/explain.ts). */
  readonly txHash: string | null
  readonly logIndex: number
  readonly from: string | null
}

/**
 * Finds the transfer with which the transfers of a block reach an amount; undefined when they have changed meanwhile.
 */
export type FindCompleting = (received: Received, amount: bigint) => Promise<TransferSender | undefined>

/** The recorded transfers of a payment at a step of its chain. */
type RecordedTransfers = {
  readonly received: readonly Received[]
  readonly hasLostAgreed: boolean
  readonly isUnexplained: boolean
  readonly scan: number
}

type CandidateEvent = Omit<PaymentEvent, 'at'> & { readonly type: PaymentEvent['type'] }

/**
 * The events that a payment may take for its transfers, at a step of its chain's state: it takes one of them or none.
 * The payment's machine decides, so that the rules exist once. Undefined when the transfers have changed since they
 * were read.
 */
export const candidateEvents = async (
  { state, context: payment }: Actor<Payment>,
  { received, hasLostAgreed, isUnexplained, scan }: RecordedTransfers,
  find: FindCompleting,
): Promise<readonly CandidateEvent[] | undefined> => {
  const { chainId, asset } = payment
  if (chainId === null || asset === null) return []
  const picked = received.filter(transfer => isPicked(payment, transfer))
  const common = { chainId, asset, scan }
  const counted = countedTransfers(state, payment, picked)
  const sum = await sumOf(payment, counted, find)
  if (!sum) return undefined
  const seen = { ...common, ...sum, hasLostAgreed }
  const amountFinal = totalOf(counted.filter(({ final }) => final))
  return [
    ...(seenIn[state] ?? []).map(type => ({ type, ...seen }) as CandidateEvent),
    ...(finalIn[state] ?? []).map(type => ({ type, ...common, amountFinal }) as CandidateEvent),
    ...(state === 'pending' && picked.some(transfer => missesPrice(payment, transfer)) ? [PRICE_MISSED] : []),
    ...(isUnexplained !== payment.collectionUnexplained && state !== 'success'
      ? [isUnexplained ? COLLECTION_UNEXPLAINED : COLLECTION_GONE]
      : []),
    ...strayOf(
      payment,
      received.filter(transfer => !isPicked(payment, transfer)),
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

/** Money after the window of a pending payment does not count yet: the end of the window is decided first. */
const countedTransfers = (state: string, payment: Payment, picked: readonly Received[]): readonly Received[] =>
  state === 'pending' ? picked.filter(transfer => isInTime(payment, transfer)) : picked

const COLLECTION_UNEXPLAINED: CandidateEvent = { type: 'collection_unexplained' }
const COLLECTION_GONE: CandidateEvent = { type: 'collection_gone' }
const PRICE_MISSED: CandidateEvent = { type: 'price_missed' }

const missesPrice = (payment: Payment, transfer: Received): boolean =>
  transfer.final && transfer.minedAt <= payment.expiresAt && !isInTime(payment, transfer)

/** The maximum of a numeric(78, 0) column. The sums of a worthless token can exceed it. */
const MAX_SUM = 10n ** 78n - 1n

const totalOf = (received: readonly Received[]): bigint => {
  const sum = received.reduce((sum, { amount }) => sum + amount, 0n)
  return sum < MAX_SUM ? sum : MAX_SUM
}

/** The sum, and the transfer that made it enough, or the last one where it is not enough. */
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
  const shown = completing ?? inOrder.at(-1)
  const isOneOfMany = completing !== undefined && completing.transfers > 1
  const sender = isOneOfMany ? await find(completing, minimumSum(payment) - before) : shown?.last
  if (shown && !sender) return undefined
  const times = inOrder.map(({ minedAt }) => minedAt.getTime())
  return {
    amountReceived: totalOf(inOrder),
    payerAddress: sender?.from ?? null,
    txHash: sender?.txHash ?? null,
    blockNumber: shown?.blockNumber ?? null,
    minedAt: times.length > 0 ? new Date(times.reduce((latest, time) => Math.max(latest, time))) : null,
  }
}

/** Money in another asset or on another chain. Reported once, and again when more of it is final or none is left. */
const strayOf = (payment: Payment, others: readonly Received[]): readonly CandidateEvent[] => {
  const [first] = others
  if (!first) return payment.stray === null ? [] : [{ type: 'stray_gone' }]
  const stray = others.some(({ chainId }) => chainId === payment.chainId) ? 'wrong_asset' : 'wrong_chain'
  const finalStrays = others.reduce((count, { final, transfers }) => (final ? count + transfers : count), 0)
  const known = payment.stray !== null && payment.finalStrays >= finalStrays
  return known ? [] : [{ type: 'stray_seen', stray, finalStrays } as CandidateEvent]
}
