import { setTimeout as sleep } from 'node:timers/promises'
import { sandboxId } from '../../chain/known/sandbox.ts'
import { refuse } from '../../errors.ts'
import { findProgress } from '../../queries/simulations.ts'
import { ask, headOf } from '../ask.ts'
import { mine } from '../deploy.ts'
import { mined, payFromWallet } from './payer.ts'
import { dropTransaction } from './reorganize.ts'
import { findAgain, type Scene } from './scene.ts'
import type { Turn } from './turn.ts'

/** Whoever mines for payments looks twice a second whether it has to, and pauses for this: see src/sandbox/mining.ts. */
const CALM_MS = 600

/** Pays, waits until that is seen and not longer, and has the chain forget it. */
export const payAndTakeBack = async (scene: Scene, turn: Turn): Promise<readonly string[]> => {
  const { url } = scene.sandbox
  await sleep(CALM_MS)
  const hash = await payFromWallet(url, scene.due)
  // Each block more brings it nearer to being final.
  if ((await ask(url, 'eth_getTransactionReceipt', hash)) === null) await mine(url)
  const block = await mined(url, [hash])
  await awaitState(scene, 'processing', hash)
  for (let tries = 1; ; tries++) {
    await turn.confirm()
    await requireNotFinal(scene, hash, block)
    if (await dropTransaction(url, hash, block)) break
    if (tries === 3) refuseAs('New blocks were mined during the reorganization. Try again with another payment.', hash)
  }
  await awaitState(scene, 'pending', hash)
  return [hash]
}

const awaitState = async (scene: Scene, state: string, hash: string): Promise<void> => {
  for (const until = performance.now() + 15_000; ; await sleep(25)) {
    const now = await findAgain(scene.counter, scene.payment)
    if (now.state === state) return
    if (now.state === 'success')
      refuseAs('The payment was final before its block could be removed. Try again with another payment.', hash)
    if (performance.now() > until)
      refuse('chain_unavailable', {
        message: 'The sandbox chain is not being read. Check that a worker is running.',
        details: { transactions: [hash] },
      })
  }
}

/** What is final in the books is never taken back: the whole chain would be in trouble. */
const requireNotFinal = async ({ counter, sandbox, payment }: Scene, hash: string, block: number): Promise<void> => {
  const [progress, head] = await Promise.all([findProgress(counter.sql, sandboxId, payment.id), headOf(sandbox.url)])
  const chain = counter.chains.find(sandboxId)?.chain
  const confirmations = chain && typeof chain.finality === 'object' ? chain.finality.confirmations : 0
  if (!progress || progress.finalNumber >= block || head.number - block + 1 >= confirmations)
    refuseAs('The payment was final before its block could be removed. Try again with another payment.', hash)
}

const refuseAs = (message: string, hash: string): never =>
  refuse('state_conflict', { message, details: { transactions: [hash] } })
