import { setTimeout as sleep } from 'node:timers/promises'
import { headOf, NodeTrouble } from './ask.ts'
import { deploy, hasPending, mine } from './deploy.ts'
import type { Keeper } from './keeper.ts'
import { WrongChain } from './remote.ts'

export type Trouble = 'unreachable' | 'refuses' | 'wrong_chain' | 'fault'

export type NodeMonitor = {
  /** Settled after the first look, however it went; a node that is slow to answer is not waited for. */
  readonly first: Promise<void>
  trouble(): Trouble | undefined
  busy(): Disposable
  stop(): Promise<void>
}

/**
 * Looks at the chain once a second: puts our contracts there, mines while something waits and nobody
 * else did since the last look, and has what changed saved.
 */
export const startPulse = (keeper: Keeper, say: (line: string) => void, everyMs = 1_000): NodeMonitor => {
  const { url } = keeper
  const ending = new AbortController()
  let waiting = 0
  let trouble: Trouble | undefined
  let last = ''
  /** Whether somebody else mined at the same moment. */
  let met = false

  const beat = async () => {
    met = false
    await keeper.look()
    await deploy(url)
    let head = await headOf(url)
    // A wallet's transaction waits too, when no payment does.
    const idle = waiting === 0 && !(await hasPending(url))
    if (!idle && head.hash === last) {
      const { number } = head
      await mine(url)
      head = await headOf(url)
      met = head.number > number + 1
    }
    last = head.hash
    await keeper.save(head, idle)
  }
  const tryBeat = async () => {
    try {
      await beat()
      if (trouble) say('The sandbox chain is available again')
      trouble = undefined
    } catch (error) {
      const now = troubleOf(error)
      if (now !== trouble && !ending.signal.aborted) say(`The sandbox chain is not available: ${sentences[now]}`)
      trouble = now
    }
  }
  const run = async () => {
    while (!ending.signal.aborted) {
      const since = performance.now()
      await first
      // Two that mined at the same moment would do so at every beat: by chance, they come apart.
      const apart = met ? Math.random() * everyMs : 0
      await sleep(Math.max(0, everyMs + apart - (performance.now() - since)), undefined, ending).catch(() => {})
      if (!ending.signal.aborted) await tryBeat()
    }
  }

  const first = tryBeat()
  const running = run()
  return {
    first: Promise.race([first, sleep(2_000, undefined, { ref: false })]),
    trouble: () => trouble,
    busy: () => {
      waiting++
      let over = false
      return {
        [Symbol.dispose]: () => {
          if (!over) waiting--
          over = true
        },
      }
    },
    stop: async () => {
      ending.abort()
      // A save is let finish, a node that does not answer is not waited for.
      await Promise.race([running, sleep(5_000, undefined, { ref: false })])
    },
  }
}

const troubleOf = (error: unknown): Trouble => {
  if (error instanceof WrongChain) return 'wrong_chain'
  if (!(error instanceof NodeTrouble)) return 'fault'
  return error.code === undefined ? 'unreachable' : 'refuses'
}

const sentences: Readonly<Record<Trouble, string>> = {
  unreachable: 'its node does not respond',
  refuses: 'its node rejects requests that a development node accepts',
  wrong_chain: 'SANDBOX_RPC_URL is another chain than 31337, which is not used',
  fault: 'its state cannot be saved',
}
