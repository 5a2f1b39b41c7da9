import type { Member } from './member.ts'
import { defaultTimeoutMs } from './node.ts'
import { type BatchOptions, type RpcAnswer, type RpcCall, RpcFault, RpcRefusal } from './rpc.ts'
import type { Team } from './team.ts'

/** Asks all nodes in parallel and waits for those that can be asked. Throws when none of them answers. */
export const askEvery = async <T>(
  team: Team,
  calls: readonly RpcCall[],
  read: (answers: readonly RpcAnswer[]) => T,
  options: BatchOptions = {},
): Promise<readonly T[]> => {
  const deadline = performance.now() + (options.timeoutMs ?? defaultTimeoutMs)
  const tried = new Set<Member>()
  const asking: ReturnType<typeof team.ask<T>>[] = []
  for (;;) {
    const member = await team.next(tried, deadline, options.signal)
    if (!member) break
    tried.add(member)
    asking.push(team.ask(member, calls, read, { ...options, timeoutMs: deadline - performance.now(), patient: true }))
  }
  const outcomes = await Promise.all(asking)
  const values = outcomes.flatMap(outcome => ('value' in outcome ? [outcome.value] : []))
  if (values.length > 0) return values
  throw outcomes.find(each => each instanceof RpcFault || each instanceof RpcRefusal) ?? team.absence(tried)
}
