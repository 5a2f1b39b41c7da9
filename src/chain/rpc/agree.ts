import type { Member } from './member.ts'
import { defaultTimeoutMs } from './node.ts'
import {
  type Agreement,
  type BatchOptions,
  type Plain,
  type RpcAnswer,
  type RpcCall,
  RpcFault,
  RpcRefusal,
} from './rpc.ts'
import type { Team } from './team.ts'

/** What a member says, and its spelling to compare it by. */
type View<T> = { readonly node: string; readonly value: T; readonly spelling: string }

/** Asks two, and when they differ or one says nothing, one more after the other, until two say the same. */
export const agree = async <T extends Plain>(
  team: Team,
  calls: readonly RpcCall[],
  pick: (answers: readonly RpcAnswer[]) => T,
  options: BatchOptions = {},
): Promise<Agreement<T>> => {
  const needed = Math.min(2, team.size)
  const deadline = performance.now() + (options.timeoutMs ?? defaultTimeoutMs)
  const tried = new Map<Member, RpcFault | RpcRefusal | undefined>()
  const views: View<T>[] = []

  // One is chosen after the other, so that the two questions of the pair never go to the same node.
  let choosing: Promise<unknown> = Promise.resolve()
  const choose = (): Promise<Member | undefined> => {
    const chosen = choosing.then(async () => {
      const member = await team.next(tried, deadline, options.signal)
      if (member) tried.set(member, undefined)
      return member
    })
    choosing = chosen.catch(() => undefined)
    return chosen
  }
  const askNext = async (): Promise<boolean> => {
    const member = await choose()
    if (!member) return false
    const { timeoutMs, patient } = team.share(tried, deadline)
    // Of two, both are needed.
    const outcome = await team.ask(member, calls, pick, {
      ...options,
      timeoutMs,
      patient: patient || team.size <= needed,
    })
    if (outcome instanceof RpcFault || outcome instanceof RpcRefusal) tried.set(member, outcome)
    else views.push({ node: member.node.name, value: outcome.value, spelling: spell(outcome.value) })
    return true
  }

  for (let asking = needed; ; asking = 1) {
    const asked = await Promise.all(Array.from({ length: asking }, askNext))
    const alike = findAlike(views, needed)
    if (alike) return { outcome: 'agreed', value: alike[0].value, nodes: alike.map(view => view.node) }
    if (asked.includes(false)) break
  }
  if (views.length >= needed) return { outcome: 'disagreed', nodes: views.map(view => view.node) }
  throw [...tried.values()].find(failure => failure !== undefined) ?? team.absence(tried)
}

const findAlike = <T>(views: readonly View<T>[], needed: number): readonly [View<T>, ...View<T>[]] | undefined => {
  for (const view of views) {
    const others = views.filter(other => other !== view && other.spelling === view.spelling)
    if (others.length >= needed - 1) return [view, ...others]
  }
  return undefined
}

const spell = (value: Plain): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each} as bigint` : each))
