import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { Payment } from '../../../machines/payment-events.ts'
import type { Actor } from '../../actors/kind.ts'
import { requireAddress } from '../../chain/address.ts'
import { sandboxId } from '../../chain/known/sandbox.ts'
import { openNativeSource } from '../../chain/watch/native/source.ts'
import { checkPaymentNow } from '../../chain/watch/native/watch-balances.ts'
import { type CheckoutServices, pickAsset } from '../../commands/checkouts.ts'
import { Refusal, refuse } from '../../errors.ts'
import { findPayment } from '../../queries/payments.ts'
import { findProgress } from '../../queries/simulations.ts'
import { hasPending } from '../deploy.ts'
import { getHead } from '../node-client.ts'
import type { Sandbox } from '../sandbox.ts'
import type { TestTransfer } from './payer.ts'

/** A payment that is to be paid on the sandbox chain. */
export type SimulatedPayment = {
  readonly services: CheckoutServices
  readonly sandbox: Sandbox
  readonly payment: Actor<Payment>
  /** The amount due. */
  readonly due: TestTransfer
  /** The cause for the history. */
  readonly cause: string
}

export const rereadPayment = async (
  { sql }: CheckoutServices,
  { id, context }: Actor<Payment>,
): Promise<Actor<Payment>> => {
  const { merchantId, livemode } = context
  return (await findPayment(sql, { id, merchantId, livemode })) ?? refuse('resource_not_found')
}

/** Picks test dollars, or native currency if the link does not accept test dollars. */
export const withPickedAsset = async (services: CheckoutServices, payment: Actor<Payment>): Promise<Actor<Payment>> => {
  if (payment.context.chainId !== null) return payment
  const pick = (asset: string) => pickAsset(services, payment, { chainId: sandboxId, asset })
  try {
    return await pick('TUSD')
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'unsupported_asset') throw error
    return pick('ETH')
  }
}

export const amountDueOf = ({ state, context: payment }: Actor<Payment>): TestTransfer => {
  if (payment.chainId !== sandboxId || payment.address === null || payment.amountExpected === null)
    return refuse('state_conflict', { message: 'The payment is not on the sandbox chain.' })
  const amount = payment.amountExpected - payment.amountReceived
  if (amount <= 0n) refuse('state_conflict', { message: 'The amount due is 0.', details: { status: state } })
  return { token: hexOrNull(payment.tokenAddress), to: requireAddress(payment.address), amount }
}

/** About the amount due, in the other asset of the sandbox. */
export const otherAsset = async ({ services, sandbox, payment, due }: SimulatedPayment): Promise<TestTransfer> => {
  const { amountMinor, currency, amountExpected } = payment.context
  const [asset, fallback] = due.token === null ? (['TUSD', 1_000_000n] as const) : (['ETH', 10n ** 15n] as const)
  const until = new Date(services.clock.now().getTime() + 60_000)
  const assets = [{ chainId: sandboxId, asset }]
  const [quote] = await services.chains.quotes.offer({ livemode: false, amountMinor, currency, until, assets })
  const share = quote && amountExpected ? (quote.amount * due.amount) / amountExpected : fallback
  return {
    ...due,
    token: due.token === null ? requireAddress(sandbox.contracts.token) : null,
    amount: share > 0n ? share : 1n,
  }
}

/** Waits until the chain is being read: reading begins at the head, so earlier transfers would not be seen. */
export const requireChainRead = async (
  { sql }: CheckoutServices,
  paymentId: string,
  timeoutMs = 10_000,
): Promise<void> => {
  for (const until = performance.now() + timeoutMs; !(await findProgress(sql, sandboxId, paymentId)); await sleep(50))
    if (performance.now() > until)
      refuse('chain_unavailable', { message: 'The sandbox chain is not being read. Check that a worker is running.' })
}

/**
 * Waits until earlier transfers are applied, because they reduce the amount due: from a wallet, or from a scenario
 * whose response was lost and which is requested again.
 */
export const awaitEarlierPayments = async (
  services: CheckoutServices,
  sandbox: Sandbox,
  payment: Actor<Payment>,
): Promise<void> => {
  using _mining = sandbox.keepMining()
  const waits = await hasPending(sandbox.url)
  const { number } = await getHead(sandbox.url)
  await awaitChainRead({ services, payment }, waits ? number + 1 : number)
}

/**
 * Waits until the block is read and applied to the payment. Gives up after the timeout if no worker reads the chain.
 */
export const awaitChainRead = async (
  { services, payment }: Pick<SimulatedPayment, 'services' | 'payment'>,
  block: number,
  timeoutMs = 8_000,
): Promise<void> => {
  for (const until = performance.now() + timeoutMs; performance.now() < until; await sleep(50)) {
    const progress = await findProgress(services.sql, sandboxId, payment.id)
    if (progress?.isApplied && progress.number >= block) return
  }
}

/**
 * Checks the balance now. Blocks are not searched for native currency that no payment waits for; the regular balance
 * check would find it within half an hour.
 */
export const checkNativeBalance = async (simulated: SimulatedPayment): Promise<void> => {
  const { services, payment } = simulated
  const rpc = services.chains.find(sandboxId)?.rpc
  if (!rpc) return
  try {
    await checkPaymentNow(services, sandboxId, openNativeSource(rpc), payment.id)
    await awaitChainRead(simulated, 0)
  } catch (err) {
    services.log.info({ err }, 'sandbox balance check failed, retrying later')
  }
}

const hexOrNull = (address: string | null): Hex | null => (address === null ? null : requireAddress(address))
