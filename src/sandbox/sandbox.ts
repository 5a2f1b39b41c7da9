import type { SandboxContracts } from '../chain/known/sandbox.ts'
import type { Env } from '../env.ts'
import { findAnvil } from './anvil.ts'
import { sandboxContracts } from './contracts.ts'
import { openEmbedded } from './embedded.ts'
import type { Keeper } from './keeper.ts'
import { startPulse, type Trouble } from './pulse.ts'
import { openRemote } from './remote.ts'

/** The development chain of test mode. */
export type Sandbox = {
  readonly url: string
  readonly contracts: SandboxContracts
  /** See Keeper. */
  epoch(): string | undefined
  /** What keeps it from being used at this moment. */
  trouble(): Trouble | undefined
  /** Makes it mine a block a second until the answer is disposed of. */
  busy(): Disposable
  stop(): Promise<void>
}

export type SandboxOptions = {
  readonly say: (line: string) => void
  /** The program to run; null when this platform has none. */
  readonly binary?: string | null
}

/** Undefined without one: the house goes on with the other chains, and has been told why. */
export const openSandbox = async (
  env: Pick<Env, 'sandbox' | 'sandboxRpcUrl' | 'dataDir'>,
  { say, binary = findAnvil() ?? null }: SandboxOptions,
): Promise<Sandbox | undefined> => {
  const keeper = env.sandbox ? await findKeeper(env, binary, say) : undefined
  if (!keeper) return undefined
  const pulse = startPulse(keeper, say)
  await pulse.first
  return {
    url: keeper.url,
    contracts: sandboxContracts,
    epoch: keeper.epoch,
    trouble: pulse.trouble,
    busy: pulse.busy,
    stop: async () => {
      await pulse.stop()
      await keeper.stop()
    },
  }
}

const findKeeper = async (
  { sandboxRpcUrl, dataDir }: Pick<Env, 'sandboxRpcUrl' | 'dataDir'>,
  binary: string | null,
  say: (line: string) => void,
): Promise<Keeper | undefined> => {
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
