import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { Payment } from '../../../machines/payment-events.ts'
import type { Actor } from '../../actors/kind.ts'
import { requireAddress } from '../../chain/address.ts'
import { sandboxId } from '../../chain/known/sandbox.ts'
import { openCoinSource } from '../../chain/watch/coins/source.ts'
import { lookNow } from '../../chain/watch/coins/watch.ts'
import { type Counter, pickAsset } from '../../commands/checkouts.ts'
import { Refusal, refuse } from '../../errors.ts'
import { findPayment } from '../../queries/payments.ts'
import { findProgress } from '../../queries/simulations.ts'
import { headOf } from '../ask.ts'
import { hasPending } from '../deploy.ts'
import type { Sandbox } from '../sandbox.ts'
import type { Sum } from './payer.ts'

/** A payment that is to be paid on the sandbox chain, and what for. */
export type Scene = {
  readonly counter: Counter
  readonly sandbox: Sandbox
  readonly payment: Actor<Payment>
  /** All that is due of it now. */
  readonly due: Sum
  /** Who asks, for the history. */
  readonly cause: string
}

export const findAgain = async ({ sql }: Counter, { id, context }: Actor<Payment>): Promise<Actor<Payment>> => {
  const { merchantId, livemode } = context
  return (await findPayment(sql, { id, merchantId, livemode })) ?? refuse('resource_not_found')
}

/** Test dollars, or coins where the link takes those alone. */
export const picked = async (counter: Counter, payment: Actor<Payment>): Promise<Actor<Payment>> => {
  if (payment.context.chainId !== null) return payment
  const pick = (asset: string) => pickAsset(counter, payment, { chainId: sandboxId, asset })
  try {
    return await pick('TUSD')
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'unsupported_asset') throw error
    return pick('ETH')
  }
}

export const dueOf = ({ state, context: payment }: Actor<Payment>): Sum => {
  if (payment.chainId !== sandboxId || payment.address === null || payment.amountExpected === null)
    return refuse('state_conflict', { message: 'The payment is not on the sandbox chain.' })
  const amount = payment.amountExpected - payment.amountReceived
  if (amount <= 0n) refuse('state_conflict', { message: 'The amount due is 0.', details: { status: state } })
  return { token: hexOrNull(payment.tokenAddress), to: requireAddress(payment.address), amount }
}

/** About as much as is due, in the other asset of the sandbox. */
export const otherAsset = async ({ counter, sandbox, payment, due }: Scene): Promise<Sum> => {
  const { amountMinor, currency, amountExpected } = payment.context
  const [asset, fallback] = due.token === null ? (['TUSD', 1_000_000n] as const) : (['ETH', 10n ** 15n] as const)
  const until = new Date(counter.clock.now().getTime() + 60_000)
  const assets = [{ chainId: sandboxId, asset }]
  const [quote] = await counter.chains.quotes.offer({ livemode: false, amountMinor, currency, until, assets })
  const share = quote && amountExpected ? (quote.amount * due.amount) / amountExpected : fallback
  return {
    ...due,
    token: due.token === null ? requireAddress(sandbox.contracts.token) : null,
    amount: share > 0n ? share : 1n,
  }
}

/** What is sent before the chain is read for the first time is never seen: books begin at the head. */
export const requireBooks = async ({ sql }: Counter, paymentId: string, timeoutMs = 10_000): Promise<void> => {
  for (const until = performance.now() + timeoutMs; !(await findProgress(sql, sandboxId, paymentId)); await sleep(50))
    if (performance.now() > until)
      refuse('chain_unavailable', { message: 'The sandbox chain is not being read. Check that a worker is running.' })
}

/**
 * What was sent before counts in what is due: by a wallet a moment ago, or by a scenario whose end nobody was told of,
 * which is then asked for again.
 */
export const awaitEarlierPayments = async (
  counter: Counter,
  sandbox: Sandbox,
  payment: Actor<Payment>,
): Promise<void> => {
  using _busy = sandbox.busy()
  const waits = await hasPending(sandbox.url)
  const { number } = await headOf(sandbox.url)
  await awaitBooks({ counter, payment }, waits ? number + 1 : number)
}

/** So that whoever reads the payment next sees what was sent. Without anybody who reads the chain it is not waited for. */
export const awaitBooks = async (
  { counter, payment }: Pick<Scene, 'counter' | 'payment'>,
  block: number,
  timeoutMs = 8_000,
): Promise<void> => {
  for (const until = performance.now() + timeoutMs; performance.now() < until; await sleep(50)) {
    const progress = await findProgress(counter.sql, sandboxId, payment.id)
    if (progress?.told && progress.number >= block) return
  }
}

/** Blocks are not searched for coins that nobody was asked for: they show in the balance, half an hour later at most. */
export const lookForCoins = async (scene: Scene): Promise<void> => {
  const { counter, payment } = scene
  const rpc = counter.chains.find(sandboxId)?.rpc
  if (!rpc) return
  try {
    await lookNow(counter, sandboxId, openCoinSource(rpc), payment.id)
    await awaitBooks(scene, 0)
  } catch (err) {
    counter.log.info({ err }, 'sandbox balance check failed, retrying later')
  }
}

const hexOrNull = (address: string | null): Hex | null => (address === null ? null : requireAddress(address))
