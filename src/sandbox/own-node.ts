import { setTimeout as sleep } from 'node:timers/promises'
import { type Anvil, endOrphan } from './anvil.ts'
import { ask, headOf, NodeTrouble, type SandboxHead } from './ask.ts'
import { deploy, hasPending, mine } from './deploy.ts'
import { markEpoch } from './epoch-mark.ts'
import { type GateOptions, openGate } from './gate.ts'
import { writeState } from './saved-state.ts'
import { type SandboxNodeOptions, startNode } from './start-node.ts'

/** The node of a data folder, kept running at one port, with its chain saved on the disk. */
export type OwnNode = {
  readonly port: number
  epoch(): string
  /** Idle: nothing waits, so that a moment without a chain disturbs nobody. */
  save(head: SandboxHead, idle: boolean): Promise<void>
  stop(): Promise<void>
}

export type OwnNodeOptions = Omit<SandboxNodeOptions, 'opening'> &
  GateOptions & {
    readonly started: (node: { readonly pid: number; readonly port: number; readonly epoch: string }) => void
  }

export const keepNode = async ({ started, port, fixedPort, ...options }: OwnNodeOptions): Promise<OwnNode> => {
  const { folder, say } = options
  const gate = await openGate({ port, fixedPort })
  let epoch = ''
  let stopping = false
  let running: Anvil | undefined
  let saved = ''
  let notBefore = 0
  let firstNumber: number | undefined
  /** Under way while a successor of the node's is on its way. */
  let renewal: PromiseWithResolvers<void> | undefined

  const start = async (): Promise<Anvil> => {
    const opening = (each: string) => {
      epoch = each
    }
    const anvil = await startNode({ ...options, opening })
    try {
      await markEpoch(anvil.url, epoch)
    } catch (error) {
      await anvil.stop()
      throw error
    }
    // Before others hear of it, so that they do not do the same; what fails here is tried and told by the pulse.
    await deploy(anvil.url).catch(() => {})
    saved = ''
    firstNumber = undefined
    gate.leadTo(anvil.url)
    started({ pid: anvil.pid, port: gate.port, epoch })
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
      gate.leadTo(undefined)
      if (stopping) return renewal?.resolve()
      // What has ended may be its guard alone.
      if (ended) await endOrphan(ended, folder)
      if (!renewal) say('The sandbox chain has stopped unexpectedly and is being restarted')
      running = await restart()
      renewal?.resolve()
      renewal = undefined
      if (stopping) await running?.stop()
    }
  }
  const save = async ({ number, hash }: SandboxHead, idle: boolean) => {
    const anvil = running
    firstNumber ??= number
    // It keeps 25 kB of each block that it makes, and a twentieth of that of those it is started with.
    if (anvil && hash === saved && idle && number - firstNumber >= renewAfter) {
      renewal = Promise.withResolvers()
      const renewed = renewal.promise
      await anvil.stop()
      // Or the next look would find nobody, and say so. Not for ever: a chain that does not come back is to be told.
      return await Promise.race([renewed, sleep(RENEWAL_MS, undefined, { ref: false })])
    }
    if (!anvil || hash === saved || performance.now() < notBefore) return
    const since = performance.now()
    const dump = await dumpOf(anvil)
    // It may have come from a successor.
    if (running !== anvil) return
    await writeState(folder, { epoch, dump })
    saved = hash
    // A dump of 20,000 blocks takes a quarter of a second: no more than a fifth of the time goes into them.
    notBefore = performance.now() + 4 * (performance.now() - since)
  }

  try {
    running = await start()
  } catch (error) {
    await gate.close()
    throw error
  }
  const watching = watch()
  return {
    port: gate.port,
    epoch: () => epoch,
    save,
    stop: async () => {
      stopping = true
      notBefore = 0
      try {
        if (running) {
          // What is in no block yet is in no dump: it would be lost.
          if (await hasPending(running.url)) await mine(running.url)
          await save(await headOf(running.url), false)
        }
      } catch {
        // It ends at this moment; what was saved last is a second old.
      }
      await running?.stop()
      await watching
      await gate.close()
    },
  }
}

const renewAfter = 5_000
const RENEWAL_MS = 5_000

const dumpOf = async ({ url }: Anvil): Promise<Buffer> => {
  const dump = await ask(url, 'anvil_dumpState')
  if (typeof dump !== 'string' || dump.length < 4) throw new NodeTrouble('anvil_dumpState')
  return Buffer.from(dump.slice(2), 'hex')
}
