import { setTimeout as sleep } from 'node:timers/promises'
import { sandboxId } from '../../chain/known/sandbox.ts'
import { refuse } from '../../errors.ts'
import { findProgress } from '../../queries/simulations.ts'
import { mine } from '../deploy.ts'
import { callNode, getHead } from '../node-client.ts'
import { awaitMined, payFromWallet } from './payer.ts'
import { dropTransaction } from './reorganize.ts'
import { rereadPayment, type SimulatedPayment } from './simulated-payment.ts'
import type { Turn } from './turn.ts'

/** Mining for payments checks twice a second and pauses during a reorganization: see src/sandbox/mining.ts. */
const MINING_PAUSE_MS = 600

/** Pays, waits until the payment is processing, and removes the transaction by a reorganization. */
export const payAndReorganize = async (simulated: SimulatedPayment, turn: Turn): Promise<readonly string[]> => {
  const { url } = simulated.sandbox
  await sleep(MINING_PAUSE_MS)
  const hash = await payFromWallet(url, simulated.due)
  // Mines as few blocks as possible, because the transaction must not become final.
  if ((await callNode(url, 'eth_getTransactionReceipt', hash)) === null) await mine(url)
  const block = await awaitMined(url, [hash])
  await awaitState(simulated, 'processing', hash)
  for (let tries = 1; ; tries++) {
    await turn.confirm()
    await requireNotFinal(simulated, hash, block)
    if (await dropTransaction(url, hash, block)) break
    if (tries === 3) refuseAs('New blocks were mined during the reorganization. Try again with another payment.', hash)
  }
  await awaitState(simulated, 'pending', hash)
  return [hash]
}

const awaitState = async (simulated: SimulatedPayment, state: string, hash: string): Promise<void> => {
  for (const until = performance.now() + 15_000; ; await sleep(25)) {
    const now = await rereadPayment(simulated.services, simulated.payment)
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

/** A final block must not be removed: the server would stop reading the chain. */
const requireNotFinal = async (
  { services, sandbox, payment }: SimulatedPayment,
  hash: string,
  block: number,
): Promise<void> => {
  const [progress, head] = await Promise.all([findProgress(services.sql, sandboxId, payment.id), getHead(sandbox.url)])
  const chain = services.chains.find(sandboxId)?.chain
  const confirmations = chain && typeof chain.finality === 'object' ? chain.finality.confirmations : 0
  if (!progress || progress.finalNumber >= block || head.number - block + 1 >= confirmations)
    refuseAs('The payment was final before its block could be removed. Try again with another payment.', hash)
}

const refuseAs = (message: string, hash: string): never =>
  refuse('state_conflict', { message, details: { transactions: [hash] } })
