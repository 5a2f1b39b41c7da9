import type { Member } from './member.ts'
import { type BatchOptions, type Health, type RpcAnswer, type RpcCall, RpcFault, RpcRefusal } from './rpc.ts'

export type Team = {
  /** The healthiest that was not tried, undefined when no other can be asked now. */
  next(tried: Tried, deadline: number, signal?: AbortSignal): Promise<Member | undefined>
  /** How long one may take: half of what is left while another, not tried so far, could still answer; else all, with patience. */
  share(tried: Tried, deadline: number): { readonly timeoutMs: number; readonly patient: boolean }
  /** One question to one member, held against it if it cannot be believed. */
  ask<T>(
    member: Member,
    calls: readonly RpcCall[],
    parse: (answers: readonly RpcAnswer[]) => T,
    options: BatchOptions,
  ): Promise<{ readonly value: T } | RpcFault | RpcRefusal>
  /** Why nobody can be asked. */
  absence(tried: Tried): RpcFault
  readonly size: number
  health(): readonly Health[]
}

export type Tried = { has(member: Member): boolean }

const probeEveryMs = 10_000

/** Who is asked first. Probes run beside the questions, so that a node that returns costs nobody a wait. */
export const openTeam = (
  members: readonly Member[],
  { mostLagBlocks, now }: { readonly mostLagBlocks: number; readonly now: () => number },
): Team => {
  let round = 0

  /**
   * All at once, because only heads of the same moment can be compared. One round ends before the next: while
   * a slow node is waited for, every question would probe all the others again, and never in its round.
   */
  const probe = () => {
    if (members.some(each => each.isProbed)) return
    const due = members.some(each => each.rested && (!each.ready || now() - each.probedAt > probeEveryMs))
    if (!due) return
    round++
    for (const each of members) if (each.rested) void each.probe(round)
  }
  const isBehind = (member: Member) => lagOf(member, members) > mostLagBlocks
  const ranked = (tried: Tried) =>
    members
      .filter(each => each.ready && !tried.has(each))
      .sort((a, b) => Number(isBehind(a)) - Number(isBehind(b)) || speedOf(a) - speedOf(b))

  return {
    size: members.length,
    next: async (tried, deadline, signal) => {
      for (;;) {
        signal?.throwIfAborted()
        if (performance.now() >= deadline) return undefined
        probe()
        const [best] = ranked(tried)
        if (best) return best
        const hopeful = members.filter(each => each.rested && !tried.has(each))
        if (
          hopeful.length === 0 ||
          !(await within(
            deadline,
            hopeful.map(each => each.probe(round)),
            signal,
          ))
        )
          return undefined
      }
    },
    share: (tried, deadline) => {
      const leftMs = deadline - performance.now()
      const isLast = !members.some(each => each.rested && !tried.has(each))
      return { timeoutMs: isLast ? leftMs : leftMs / 2, patient: isLast }
    },
    ask: async (member, calls, parse, options) => {
      try {
        const value = parse(await member.node.batch(calls, options))
        member.wentWell()
        return { value }
      } catch (error) {
        if (error instanceof RpcFault) {
          if (!blameless.includes(error.reason)) member.faulted(error)
        } else if (!(error instanceof RpcRefusal)) throw error
        return error
      }
    },
    absence: tried => {
      const silent = members.find(each => !tried.has(each) && each.lastFault !== undefined)
      return new RpcFault(silent?.lastFault ?? 'timeout', 'no other node can be asked now')
    },
    health: () => members.map(each => each.health(lagOf(each, members), isBehind(each))),
  }
}

/** A question may be too wide for anybody, and a block too new for one. */
const blameless: readonly string[] = ['too_large', 'behind']

/**
 * Behind the middle one of those that were seen at the same time, the upper one of two: no single node can
 * make all the others look late by naming a block that is not there, once there are three.
 */
const lagOf = (member: Member, members: readonly Member[]): number => {
  const { seen } = member
  if (!seen) return 0
  const heads = members.flatMap(each => (each.seen?.round === seen.round && each.ready ? [each.seen.head] : []))
  heads.sort((a, b) => a - b)
  return Math.max(0, (heads[Math.floor(heads.length / 2)] ?? seen.head) - seen.head)
}

/** Twice as slow is slower; less than that is weather, and leaves the order to the operator. */
const speedOf = ({ latencyMs = 0 }: Member): number => Math.round(Math.log2(Math.max(latencyMs, 16)))

/** Whether one of them ended before the deadline. */
const within = async (deadline: number, promises: readonly Promise<void>[], signal?: AbortSignal): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const giveUp = () => resolve(false)
  const timer = setTimeout(giveUp, deadline - performance.now())
  signal?.addEventListener('abort', giveUp)
  for (const each of promises) void each.then(() => resolve(true))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    signal?.throwIfAborted()
  }
}
