import type { Services } from '../../actors/services.ts'
import { recordChainNodes } from '../../queries/ops/chain-nodes.ts'
import type { WorkerShare } from '../../workers/share.ts'
import type { ConnectedChain } from '../enabled/connect.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { runChainLoops } from './chain-loops.ts'

/** So often at most. A change of state is recorded immediately. */
const EVERY_MS = 5_000
const CHECK_MS = 1_000

/** Records what this process knows of the nodes of the chains that it reads, for operators who ask another process. */
export const recordNodes = (
  world: Pick<Services, 'sql' | 'log'>,
  { chains, share }: { readonly chains: readonly ConnectedChain[]; readonly share: WorkerShare },
): { stop(): Promise<void> } => {
  const recorded = new Map<number, { readonly states: string; readonly atMs: number }>()
  return runChainLoops(
    world,
    {
      chains: chains.map(({ chain: { id }, rpc }) => ({ id, rpc, pollMs: CHECK_MS })),
      share,
      failureMessage: 'states of RPC nodes not recorded, retrying',
    },
    async ({ id, rpc }) => {
      const states = rpc
        .health()
        .map(({ state }) => state)
        .join()
      const last = recorded.get(id)
      if (last?.states === states && performance.now() - last.atMs < EVERY_MS) return
      await recordChainNodes(world.sql, id, nodeStates(rpc))
      recorded.set(id, { states, atMs: performance.now() })
    },
  )
}

export const nodeStates = (rpc: Pick<Rpc, 'health' | 'labels'>) =>
  rpc.health().map(({ state, head, latencyMs, lastFault }, at) => ({
    label: rpc.labels()[at] ?? '',
    ...{ state, head, latencyMs, lastError: lastFault },
  }))
