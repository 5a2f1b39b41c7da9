import type { Outside } from '../../outside.ts'
import { agree } from './agree.ts'
import { askEvery } from './every.ts'
import { type Member, openMember } from './member.ts'
import { defaultTimeoutMs, openNode } from './node.ts'
import { type BatchOptions, type Rpc, type RpcAnswer, type RpcCall, RpcFault, RpcRefusal } from './rpc.ts'
import { openTeam, type Team } from './team.ts'

export type RpcOptions = {
  readonly chainId: number
  readonly urls: readonly string[]
  /** Undefined: none, whatever the environment says. */
  readonly proxy?: string | undefined
  /** Nodes further behind the others are asked last. More for a chain with several blocks a second. */
  readonly mostLagBlocks?: number
}

/** The nodes of one chain. Nothing is asked before the first call. */
export const openRpc = (
  { chainId, urls, proxy, mostLagBlocks = 5 }: RpcOptions,
  outside: Pick<Outside, 'clock' | 'random' | 'log'>,
): Rpc => {
  const closing = new AbortController()
  const now = () => outside.clock.now().getTime()
  const nodes = urls.map((url, at) =>
    openNode({ name: `${chainId}/${at + 1}`, url, proxy, closed: closing.signal, now }),
  )
  const members = nodes.map(node => openMember(node, { ...outside, chainId, closed: closing.signal }))
  const team = openTeam(members, { mostLagBlocks, now })
  const read: Rpc['read'] = (calls, parse, options) => firstOf(team, calls, parse, options)

  return {
    nodes,
    read,
    batch: (calls, options) => read(calls, answers => answers, options),
    agreed: (calls, pick, options) => agree(team, calls, pick, options),
    both: async (calls, read, options) => {
      const told: ReturnType<typeof read>[] = []
      // What they agree on is to have been asked.
      const hear = (answers: readonly RpcAnswer[]) => told.push(read(answers)) > 0
      await agree(team, calls, hear, options)
      return told
    },
    every: (calls, read, options) => askEvery(team, calls, read, options),
    health: () => team.health(),
    close: () => closing.abort(),
  }
}

/** Asks one after the other until one answers. */
const firstOf = async <T>(
  team: Team,
  calls: readonly RpcCall[],
  parse: (answers: readonly RpcAnswer[]) => T,
  options: BatchOptions = {},
): Promise<T> => {
  const deadline = performance.now() + (options.timeoutMs ?? defaultTimeoutMs)
  const tried = new Map<Member, RpcFault | RpcRefusal | undefined>()
  for (;;) {
    const member = await team.next(tried, deadline, options.signal)
    if (!member) throw worst(tried) ?? team.absence(tried)
    tried.set(member, undefined)
    const outcome = await team.ask(member, calls, parse, { ...options, ...team.share(tried, deadline) })
    if (outcome instanceof RpcFault || outcome instanceof RpcRefusal) {
      tried.set(member, outcome)
      continue
    }
    // What one finds too large and another answers was the first one's doing. What all find too large is asked too widely.
    for (const [each, failure] of tried) if (isTooLarge(failure)) each.faulted(failure)
    return outcome.value
  }
}

/** A no of one node says more about the question than the silence of another. */
const worst = (tried: ReadonlyMap<Member, RpcFault | RpcRefusal | undefined>) => {
  const failures = [...tried.values()]
  return failures.find(failure => failure instanceof RpcRefusal) ?? failures.find(isTooLarge) ?? failures[0]
}

const isTooLarge = (failure: unknown): failure is RpcFault =>
  failure instanceof RpcFault && failure.reason === 'too_large'
