import { setTimeout as sleep } from 'node:timers/promises'
import { type Anvil, endOrphan } from './anvil.ts'
import { deploy, hasPending, mine } from './deploy.ts'
import { markEpoch } from './epoch-mark.ts'
import { callNode, getHead, NodeError, type SandboxHead } from './node-client.ts'
import { type NodeProxyOptions, openNodeProxy } from './node-proxy.ts'
import { writeState } from './saved-state.ts'
import { type SandboxNodeOptions, startNode } from './start-node.ts'

/** The node of a data folder, run by this process at a fixed port, with its chain saved on disk. */
export type OwnNode = {
  readonly port: number
  epoch(): string
  /** `idle`: nothing waits for blocks, so the node may be replaced. */
  save(head: SandboxHead, idle: boolean): Promise<void>
  stop(): Promise<void>
}

export type OwnNodeOptions = Omit<SandboxNodeOptions, 'onEpoch'> &
  NodeProxyOptions & {
    readonly started: (node: { readonly pid: number; readonly port: number; readonly epoch: string }) => void
  }

export const runOwnNode = async ({ started, port, fixedPort, ...options }: OwnNodeOptions): Promise<OwnNode> => {
  const { folder, say } = options
  const proxy = await openNodeProxy({ port, fixedPort })
  let epoch = ''
  let stopping = false
  let running: Anvil | undefined
  let saved = ''
  let notBefore = 0
  let firstNumber: number | undefined
  /** Set while the node is being replaced. */
  let replacement: PromiseWithResolvers<void> | undefined

  const start = async (): Promise<Anvil> => {
    const onEpoch = (each: string) => {
      epoch = each
    }
    const anvil = await startNode({ ...options, onEpoch })
    try {
      await markEpoch(anvil.url, epoch)
    } catch (error) {
      await anvil.stop()
      throw error
    }
    // Before `started`, so that other processes do not deploy too. The node monitor retries and reports failures.
    await deploy(anvil.url).catch(() => {})
    saved = ''
    firstNumber = undefined
    proxy.setTarget(anvil.url)
    started({ pid: anvil.pid, port: proxy.port, epoch })
    return anvil
  }
  const restart = async (): Promise<Anvil | undefined> => {
    for (let failures = 0; !stopping; failures++) {
      try {
        return await start()
      } catch (error) {
        say(`The sandbox chain could not be restarted: ${error instanceof Error ? error.message : error}`)
      }
      await sleep(Math.min(100 * 2 ** failures, 5_000))
    }
    return undefined
  }
  const watch = async () => {
    for (;;) {
      const ended = running
      await ended?.exited
      running = undefined
      proxy.setTarget(undefined)
      if (stopping) return replacement?.resolve()
      // Perhaps only its guard has ended.
      if (ended) await endOrphan(ended, folder)
      if (!replacement) say('The sandbox chain has stopped unexpectedly and is being restarted')
      running = await restart()
      replacement?.resolve()
      replacement = undefined
      if (stopping) await running?.stop()
    }
  }
  const save = async ({ number, hash }: SandboxHead, idle: boolean) => {
    const anvil = running
    firstNumber ??= number
    // Anvil uses 25 kB of memory for each block that it mines, and a twentieth of that for blocks it is started with.
    if (anvil && hash === saved && idle && number - firstNumber >= REPLACE_AFTER_BLOCKS) {
      replacement = Promise.withResolvers()
      const replaced = replacement.promise
      await anvil.stop()
      // Waits, because the next check would report the node as unavailable. With a time limit, so that a failure is
      // reported.
      return await Promise.race([replaced, sleep(REPLACE_TIMEOUT_MS, undefined, { ref: false })])
    }
    if (!anvil || hash === saved || performance.now() < notBefore) return
    const since = performance.now()
    const dump = await dumpOf(anvil)
    // The dump may be of the replacement.
    if (running !== anvil) return
    await writeState(folder, { epoch, dump })
    saved = hash
    // A dump of 20,000 blocks takes a quarter of a second. Dumps may take at most a fifth of the time.
    notBefore = performance.now() + 4 * (performance.now() - since)
  }

  try {
    running = await start()
  } catch (error) {
    await proxy.close()
    throw error
  }
  const watching = watch()
  return {
    port: proxy.port,
    epoch: () => epoch,
    save,
    stop: async () => {
      stopping = true
      notBefore = 0
      try {
        if (running) {
          // Pending transactions are not in the dump and would be lost.
          if (await hasPending(running.url)) await mine(running.url)
          await save(await getHead(running.url), false)
        }
      } catch {
        // The node is ending too. The last save is at most a second old.
      }
      await running?.stop()
      await watching
      await proxy.close()
    },
  }
}

const REPLACE_AFTER_BLOCKS = 5_000
const REPLACE_TIMEOUT_MS = 5_000

const dumpOf = async ({ url }: Anvil): Promise<Buffer> => {
  const dump = await callNode(url, 'anvil_dumpState')
  if (typeof dump !== 'string' || dump.length < 4) throw new NodeError('anvil_dumpState')
  return Buffer.from(dump.slice(2), 'hex')
}
