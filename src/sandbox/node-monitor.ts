import { setTimeout as sleep } from 'node:timers/promises'
import { deploy, hasPending, mine } from './deploy.ts'
import { getHead, NodeError } from './node-client.ts'
import { WrongChain } from './remote.ts'
import type { SandboxNode } from './sandbox-node.ts'

export type NodeProblem = 'unreachable' | 'refuses' | 'wrong_chain' | 'fault'

export type NodeMonitor = {
  /** Settles after the first check or after 2 s, whatever the result. */
  readonly first: Promise<void>
  problem(): NodeProblem | undefined
  keepMining(): Disposable
  stop(): Promise<void>
}

/**
 * Checks the chain once a second: deploys missing contracts, mines a block if something waits and no block was mined
 * since the last check, and saves changes.
 */
export const startNodeMonitor = (node: SandboxNode, say: (line: string) => void, everyMs = 1_000): NodeMonitor => {
  const { url } = node
  const ending = new AbortController()
  let waiting = 0
  let problem: NodeProblem | undefined
  let last = ''
  /** Whether another process mined at the same time. */
  let minedTogether = false

  const check = async () => {
    minedTogether = false
    await node.prepare()
    await deploy(url)
    let head = await getHead(url)
    // A wallet may have sent a transaction.
    const idle = waiting === 0 && !(await hasPending(url))
    if (!idle && head.hash === last) {
      const { number } = head
      await mine(url)
      head = await getHead(url)
      minedTogether = head.number > number + 1
    }
    last = head.hash
    await node.save(head, idle)
  }
  const runCheck = async () => {
    try {
      await check()
      if (problem) say('The sandbox chain is available again')
      problem = undefined
    } catch (error) {
      const now = problemOf(error)
      if (now !== problem && !ending.signal.aborted) say(`The sandbox chain is not available: ${sentences[now]}`)
      problem = now
    }
  }
  const run = async () => {
    while (!ending.signal.aborted) {
      const since = performance.now()
      await first
      // Two processes that mine at the same time would do so at every check. A random delay separates them.
      const delayMs = minedTogether ? Math.random() * everyMs : 0
      await sleep(Math.max(0, everyMs + delayMs - (performance.now() - since)), undefined, ending).catch(() => {})
      if (!ending.signal.aborted) await runCheck()
    }
  }

  const first = runCheck()
  const running = run()
  return {
    first: Promise.race([first, sleep(2_000, undefined, { ref: false })]),
    problem: () => problem,
    keepMining: () => {
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
      // Lets a save finish, with a time limit for a node that does not answer.
      await Promise.race([running, sleep(5_000, undefined, { ref: false })])
    },
  }
}

const problemOf = (error: unknown): NodeProblem => {
  if (error instanceof WrongChain) return 'wrong_chain'
  if (!(error instanceof NodeError)) return 'fault'
  return error.code === undefined ? 'unreachable' : 'refuses'
}

const sentences: Readonly<Record<NodeProblem, string>> = {
  unreachable: 'its node does not respond',
  refuses: 'its node rejects requests that a development node accepts',
  wrong_chain: 'SANDBOX_RPC_URL is another chain than 31337, which is not used',
  fault: 'its state cannot be saved',
}
