import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf, randomOf } from '../harness/random.ts'
import { until } from '../harness/until.ts'
import { type Background, startBackground } from './background.ts'
import { type Calling, call, carryOut } from './callers.ts'
import { findBroken } from './checks.ts'
import { type Fault, faults } from './faults.ts'
import { followFeed } from './feed-follower.ts'
import { type History, openHistory } from './history.ts'
import { drawCreation, openActorPool } from './operations.ts'
import type { Outcome } from './protocol.ts'
import { holdRow } from './row-lock.ts'
import { recovered, type Stage } from './stage.ts'
import { openSystem, type System } from './system.ts'
import type { Died } from './worker-process.ts'

export type TortureOptions = {
  /** Chooses the operations, the faults and their times. */
  readonly seed: number
  readonly seconds: number
  /** Only faults whose name contains this text, and the small background faults. */
  readonly only?: string
  readonly print: (line: string) => void
}

const CALLERS = 24
const FIRST_ACTORS = 60

/**
 * Several processes run commands on one database while paths, processes and the database fail. Then all requests and
 * responses are compared with the contents of the database. Returns the broken promises.
 */
export const torture = async ({ seed, seconds, only = '', print }: TortureOptions): Promise<readonly string[]> => {
  await using system = await openSystem()
  const history = openHistory()
  const actors = openActorPool()
  let over = false
  const isOver = () => over
  const aborting = new AbortController()
  const processes = system.members.map(({ process }) => process)
  const calling = (n: number): Calling => ({
    ...{ history, processes, actors, isOver, signal: aborting.signal },
    random: randomOf(seed * 1_000 + n),
  })
  await createActors(calling(0), seed)

  const feeds = [system.server.url, system.members[0]?.path.url ?? ''].map(followFeed)
  const calls = Promise.all(Array.from({ length: CALLERS }, (_, n) => call(`${seed}.${n}`, calling(n + 1))))
  const broken: string[] = []
  const counts = new Map<string, number>()
  const note = (name: string) => {
    counts.set(name, (counts.get(name) ?? 0) + 1)
    print(`${history.operations.length} operations: ${name}`)
  }
  const stage: Stage = { system, history, actors, random: randomOf(seed) }
  const background = startBackground(system, randomOf(seed * 1_000 - 1))
  try {
    for (const ends = performance.now() + seconds * 1_000; performance.now() < ends; )
      broken.push(...(await failOnce(stage, { background, only, note })))
    await background.end()
    await recovered(stage)
  } catch (error) {
    await background.end()
    aborting.abort()
    over = true
    // Operations in progress fail now; this error has been reported.
    calls.catch(() => {})
    print(summaryOf(history, counts))
    return [...broken, `${error}`]
  }
  over = true
  await calls
  broken.push(...(await allTimersFired(system)))
  const [size] = await system.sql<{ changes: number }[]>`select count(*)::int as changes from transitions`
  await Promise.all(feeds.map(feed => feed.end(size?.changes ?? 0)))
  await system.stop().catch(error => broken.push(`${error}`))
  broken.push(
    ...(await findBroken(
      system.sql,
      history,
      feeds.map(({ seen }) => seen),
    )),
  )
  print(summaryOf(history, counts))
  return broken
}

const createActors = async (calling: Calling, seed: number): Promise<void> => {
  const { history, random } = calling
  for (let n = 0; n < FIRST_ACTORS; n++) {
    const drawn = drawCreation((expected, ...commands) => {
      const name = `${seed}.first.${n}`
      return { name, keyed: false, expected, commands: commands.map(command => ({ ...command, cause: name })) }
    }, random)
    if ('read' in drawn) continue
    const operation = { ...drawn, attempts: [] }
    history.operations.push(operation)
    await carryOut(calling, operation)
  }
}

/** Injects one fault, or two of different groups at the same time, or locks a row without another fault. */
const failOnce = async (stage: Stage, { background, only, note }: FaultOptions): Promise<string[]> => {
  const { random } = stage
  if (random() < 0.1 && ROW_LOCKED.includes(only))
    return background.without(async () => {
      await recovered(stage)
      note(ROW_LOCKED)
      return holdRow(stage)
    })
  await sleep(random() * 500)
  const allowed = faults.filter(({ name }) => name.includes(only))
  if (allowed.length === 0) return []
  const first = oneOf(allowed, random)
  const others = allowed.filter(({ group }) => group !== first.group)
  const together: readonly Fault[] = random() < 0.5 && others.length > 0 ? [first, oneOf(others, random)] : [first]
  note(together.map(({ name }) => name).join(', and '))
  await Promise.all(together.map(({ inject }) => inject(stage)))
  for (const { path } of stage.system.members) path.heal()
  return []
}

type FaultOptions = {
  readonly background: Background
  readonly only: string
  readonly note: (name: string) => void
}

const ROW_LOCKED = 'one row is locked'

/** Every lamp that is on goes off by its timer, once. */
const allTimersFired = async ({ sql }: System): Promise<string[]> => {
  const left = async () => (await sql<{ id: string }[]>`select id from lamps where state = 'on'`).length
  return until(async () => (await left()) === 0, { timeoutMs: 30_000, everyMs: 100 }).then(
    () => [],
    async () => [`${await left()} timers never fired`],
  )
}

const summaryOf = ({ operations, reads }: History, faults: ReadonlyMap<string, number>): string => {
  const outcomes = new Map<string, number>()
  for (const { outcome } of operations.flatMap(({ attempts }) => attempts)) {
    const name = nameOf(outcome)
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1)
  }
  const listed = [...outcomes].map(([name, times]) => `${times} ${name}`).join(', ')
  const times = [...faults.values()].reduce((sum, times) => sum + times, 0)
  return `${operations.length} operations (${listed}), ${reads.length} reads, ${times} faults and many small ones`
}

const nameOf = (outcome: Outcome | Died): string => {
  if (outcome.kind === 'refused') return `refused ${outcome.refusal}`
  return outcome.kind === 'done' && outcome.done.some(({ replayed }) => replayed) ? 'replayed' : outcome.kind
}
