import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import type { Payment } from '../../../machines/payment-events.ts'
import type { Actor } from '../../actors/kind.ts'
import type { Counter } from '../../commands/checkouts.ts'
import { submitTransaction } from '../../commands/submissions.ts'
import { refuse } from '../../errors.ts'
import { lazy } from '../../lazy.ts'
import { ask, NodeTrouble } from '../ask.ts'
import type { Sandbox } from '../sandbox.ts'
import { mined, payFromWallet, revert, type Sum } from './payer.ts'
import { requireReorganizations } from './reorganize.ts'
import { payAndTakeBack } from './reorged.ts'
import {
  awaitBooks,
  awaitEarlierPayments,
  dueOf,
  findAgain,
  lookForCoins,
  otherAsset,
  picked,
  requireBooks,
  type Scene,
} from './scene.ts'
import { inTurn, type Turn } from './turn.ts'

export type Scenario = 'paid' | 'underpaid' | 'overpaid' | 'late' | 'wrong_asset' | 'reverted' | 'reorged'

export type SimulationRequest = {
  readonly scenario: Scenario
  /** Who asks, for the history. */
  readonly cause: string
  readonly idempotencyKey: string | null
}

type Stage = Counter & { readonly sandbox: Sandbox | undefined }

/**
 * Acts what may become of a payment, with transactions on the sandbox chain that differ in nothing from a
 * customer's. Answers their hashes, once they are in blocks and the books have them.
 */
export const simulate = async (
  stage: Stage,
  payment: Actor<Payment>,
  { scenario, cause, idempotencyKey }: SimulationRequest,
): Promise<readonly string[]> => {
  const { sandbox } = stage
  if (!sandbox || sandbox.trouble())
    return refuse('chain_unavailable', {
      message: 'The sandbox chain is not available at the moment. Try again later.',
    })
  const asked = { paymentId: payment.id, reorganizes: scenario === 'reorged', idempotencyKey }
  try {
    return await inTurn(stage, asked, async turn => {
      await requireBooks(stage, payment.id)
      await awaitEarlierPayments(stage, sandbox, payment)
      const now = await findAgain(stage, payment)
      requireState(stage, now, scenario)
      if (scenario === 'reorged') await requireReorganizations(sandbox.url)
      const ready = await picked(stage, now)
      return await scenes[scenario]({ counter: stage, sandbox, payment: ready, due: dueOf(ready), cause }, turn)
    })
  } catch (error) {
    return error instanceof NodeTrouble ? refuse('chain_unavailable') : Promise.reject(error)
  }
}

const requireState = ({ clock }: Stage, { state, context }: Actor<Payment>, scenario: Scenario): void => {
  const isOver = context.expiresAt <= clock.now()
  const fits =
    scenario === 'late'
      ? state === 'pending' || (context.chainId !== null && ['expired', 'failed', 'canceled'].includes(state))
      : state === 'pending' && !isOver && !(scenario === 'reverted' && context.amountReceived > 0n)
  if (!fits) refuse('state_conflict', { details: { status: state } })
}

/** What each of them sends, and what happens around that. */
const scenes: Readonly<Record<Scenario, (scene: Scene, turn: Turn) => Promise<readonly string[]>>> = {
  paid: scene => send(scene, scene.due),
  underpaid: scene => send(scene, { ...scene.due, amount: scene.due.amount / 2n || 1n }),
  overpaid: scene => send(scene, { ...scene.due, amount: (3n * scene.due.amount + 1n) / 2n }),
  wrong_asset: async scene => {
    const hashes = await send(scene, await otherAsset(scene))
    if (scene.due.token !== null) await lookForCoins(scene)
    return hashes
  },
  late: async scene => {
    using _busy = scene.sandbox.busy()
    if (scene.payment.state === 'pending') await endWindow(scene)
    return send(scene, scene.due)
  },
  reverted: async scene => {
    using _busy = scene.sandbox.busy()
    const hash = await revert(scene.sandbox.url, scene.due)
    await submitTransaction(scene.counter, scene.payment, hash)
    await mined(scene.sandbox.url, [hash])
    return [hash]
  },
  reorged: payAndTakeBack,
}

const send = async (scene: Scene, sum: Sum): Promise<readonly string[]> => {
  using _busy = scene.sandbox.busy()
  const hash = await payFromWallet(scene.sandbox.url, sum)
  await awaitBooks(scene, await mined(scene.sandbox.url, [hash]))
  return [hash]
}

/** What is mined from then on is late: the chain's clock counts, in whole seconds. */
const endWindow = async ({ counter, sandbox, payment, cause }: Scene): Promise<void> => {
  const event = { type: 'end_window' }
  const outcome = await counter.actors.dispatch({ kind: 'payment', actor: payment.id, event, cause })
  // It may have ended by itself a moment ago.
  const { context } = outcome.ok ? await findAgain(counter, payment) : payment
  for (const until = performance.now() + 20_000; ; await sleep(50)) {
    const block = await ask(sandbox.url, 'eth_getBlockByNumber', 'latest', false)
    if (isBlock().allows(block) && Number(block.timestamp) * 1_000 > context.expiresAt.getTime()) return
    if (performance.now() > until)
      refuse('chain_unavailable', {
        message: 'The clock of the sandbox chain does not advance, so the payment window cannot end.',
      })
  }
}

const isBlock = lazy(() => type({ timestamp: '/^0x[0-9a-f]+$/' }))
