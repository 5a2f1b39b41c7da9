import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import type { Payment } from '../../../machines/payment-events.ts'
import type { Actor } from '../../actors/kind.ts'
import type { CheckoutServices } from '../../commands/checkouts.ts'
import { submitTransaction } from '../../commands/submissions.ts'
import { refuse } from '../../errors.ts'
import { lazy } from '../../lazy.ts'
import { callNode, NodeError } from '../node-client.ts'
import type { Sandbox } from '../sandbox.ts'
import { payAndReorganize } from './pay-and-reorganize.ts'
import { awaitMined, payFromWallet, sendReverting, type TestTransfer } from './payer.ts'
import { requireReorganizations } from './reorganize.ts'
import {
  amountDueOf,
  awaitChainRead,
  awaitEarlierPayments,
  checkNativeBalance,
  otherAsset,
  requireChainRead,
  rereadPayment,
  type SimulatedPayment,
  withPickedAsset,
} from './simulated-payment.ts'
import { runInTurn, type Turn } from './turn.ts'

export type Scenario = 'paid' | 'underpaid' | 'overpaid' | 'late' | 'wrong_asset' | 'reverted' | 'reorged'

export type SimulationRequest = {
  readonly scenario: Scenario
  /** The cause for the history. */
  readonly cause: string
  readonly idempotencyKey: string | null
}

type SimulationServices = CheckoutServices & { readonly sandbox: Sandbox | undefined }

/**
 * Simulates a scenario of a payment with ordinary transactions on the sandbox chain. Returns their hashes after they
 * are mined and recorded.
 */
export const simulate = async (
  services: SimulationServices,
  payment: Actor<Payment>,
  { scenario, cause, idempotencyKey }: SimulationRequest,
): Promise<readonly string[]> => {
  const { sandbox } = services
  if (!sandbox || sandbox.problem())
    return refuse('chain_unavailable', {
      message: 'The sandbox chain is not available at the moment. Try again later.',
    })
  const simulation = { paymentId: payment.id, reorganizes: scenario === 'reorged', idempotencyKey }
  try {
    return await runInTurn(services, simulation, async turn => {
      await requireChainRead(services, payment.id)
      await awaitEarlierPayments(services, sandbox, payment)
      const now = await rereadPayment(services, payment)
      requireState(services, now, scenario)
      if (scenario === 'reorged') await requireReorganizations(sandbox.url)
      const ready = await withPickedAsset(services, now)
      return await runScenario[scenario](
        { services: services, sandbox, payment: ready, due: amountDueOf(ready), cause },
        turn,
      )
    })
  } catch (error) {
    return error instanceof NodeError ? refuse('chain_unavailable') : Promise.reject(error)
  }
}

const requireState = ({ clock }: SimulationServices, { state, context }: Actor<Payment>, scenario: Scenario): void => {
  const isOver = context.expiresAt <= clock.now()
  const fits =
    scenario === 'late'
      ? state === 'pending' || (context.chainId !== null && ['expired', 'failed', 'canceled'].includes(state))
      : state === 'pending' && !isOver && !(scenario === 'reverted' && context.amountReceived > 0n)
  if (!fits) refuse('state_conflict', { details: { status: state } })
}

/** The steps of each scenario. */
const runScenario: Readonly<Record<Scenario, (simulated: SimulatedPayment, turn: Turn) => Promise<readonly string[]>>> =
  {
    paid: simulated => send(simulated, simulated.due),
    underpaid: simulated => send(simulated, { ...simulated.due, amount: simulated.due.amount / 2n || 1n }),
    overpaid: simulated => send(simulated, { ...simulated.due, amount: (3n * simulated.due.amount + 1n) / 2n }),
    wrong_asset: async simulated => {
      const hashes = await send(simulated, await otherAsset(simulated))
      if (simulated.due.token !== null) await checkNativeBalance(simulated)
      return hashes
    },
    late: async simulated => {
      using _mining = simulated.sandbox.keepMining()
      if (simulated.payment.state === 'pending') await endWindow(simulated)
      return send(simulated, simulated.due)
    },
    reverted: async simulated => {
      using _mining = simulated.sandbox.keepMining()
      const hash = await sendReverting(simulated.sandbox.url, simulated.due)
      await submitTransaction(simulated.services, simulated.payment, hash)
      await awaitMined(simulated.sandbox.url, [hash])
      return [hash]
    },
    reorged: payAndReorganize,
  }

const send = async (simulated: SimulatedPayment, sum: TestTransfer): Promise<readonly string[]> => {
  using _mining = simulated.sandbox.keepMining()
  const hash = await payFromWallet(simulated.sandbox.url, sum)
  await awaitChainRead(simulated, await awaitMined(simulated.sandbox.url, [hash]))
  return [hash]
}

/** Ends the payment window, and waits for a block after it. Block times are in whole seconds. */
const endWindow = async ({ services, sandbox, payment, cause }: SimulatedPayment): Promise<void> => {
  const event = { type: 'end_window' }
  const outcome = await services.actors.dispatch({ kind: 'payment', actor: payment.id, event, cause })
  // If refused, the window has just ended by itself.
  const { context } = outcome.ok ? await rereadPayment(services, payment) : payment
  for (const until = performance.now() + 20_000; ; await sleep(50)) {
    const block = await callNode(sandbox.url, 'eth_getBlockByNumber', 'latest', false)
    if (isBlock().allows(block) && Number(block.timestamp) * 1_000 > context.expiresAt.getTime()) return
    if (performance.now() > until)
      refuse('chain_unavailable', {
        message: 'The clock of the sandbox chain does not advance, so the payment window cannot end.',
      })
  }
}

const isBlock = lazy(() => type({ timestamp: '/^0x[0-9a-f]+$/' }))
