import type { SandboxContracts } from '../chain/known/sandbox.ts'
import type { Env } from '../env.ts'
import { findAnvil } from './anvil.ts'
import { sandboxContracts } from './contracts.ts'
import { openEmbedded } from './embedded.ts'
import { type NodeProblem, startNodeMonitor } from './node-monitor.ts'
import { openRemote } from './remote.ts'
import type { SandboxNode } from './sandbox-node.ts'

/** The development chain of test mode. */
export type Sandbox = {
  readonly url: string
  readonly contracts: SandboxContracts
  /** See SandboxNode. */
  epoch(): string | undefined
  /** Why it cannot be used now. */
  problem(): NodeProblem | undefined
  /** Mines a block a second until the returned object is disposed. */
  keepMining(): Disposable
  stop(): Promise<void>
}

export type SandboxOptions = {
  readonly say: (line: string) => void
  /** The anvil binary; null if there is none for this platform. */
  readonly binary?: string | null
}

/** Returns undefined if there is no sandbox, after printing why. The server works without it. */
export const openSandbox = async (
  env: Pick<Env, 'sandbox' | 'sandboxRpcUrl' | 'dataDir'>,
  { say, binary = findAnvil() ?? null }: SandboxOptions,
): Promise<Sandbox | undefined> => {
  const node = env.sandbox ? await findNode(env, binary, say) : undefined
  if (!node) return undefined
  const monitor = startNodeMonitor(node, say)
  await monitor.first
  return {
    url: node.url,
    contracts: sandboxContracts,
    epoch: node.epoch,
    problem: monitor.problem,
    keepMining: monitor.keepMining,
    stop: async () => {
      await monitor.stop()
      await node.stop()
    },
  }
}

const findNode = async (
  { sandboxRpcUrl, dataDir }: Pick<Env, 'sandboxRpcUrl' | 'dataDir'>,
  binary: string | null,
  say: (line: string) => void,
): Promise<SandboxNode | undefined> => {
  if (sandboxRpcUrl !== undefined) return openRemote(sandboxRpcUrl)
  const without = (reason: string) =>
    void say(
      `The sandbox chain is not available (${reason}): set SANDBOX_RPC_URL to a development node, or SANDBOX to off`,
    )
  if (binary === null) return without(`no anvil for ${process.platform} ${process.arch}`)
  try {
    return await openEmbedded({ dataDir, binary, say })
  } catch (error) {
    return without(error instanceof Error ? error.message : String(error))
  }
}
