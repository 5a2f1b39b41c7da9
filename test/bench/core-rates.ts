import type { Bench } from './bench.ts'
import { callFor, type Load } from './callers.ts'
import type { CoreSizes } from './core.ts'
import { type Dbos, openDbos } from './dbos.ts'
import { type Floor, openFloor } from './floor.ts'
import { createMeters, type Meters } from './meters.ts'
import { bestOf, milliseconds, perSecond, type Report, times } from './promises.ts'

/** All measurements once, ours right after its floor, so that disturbances of the machine affect both. */
type Round = {
  readonly select: Loads
  readonly insert: Loads
  readonly ours: Loads
  readonly bulk: Load
  /** Bare inserts by one caller right before and after; the faster one counts. */
  readonly byOne: { readonly many: number; readonly bulk: number }
  readonly steps: number | undefined
}

type Loads = { readonly one: Load; readonly some: Load; readonly many: Load }

const CALLERS = { one: 1, some: 32, many: 256 } as const

/** The rates of commands with this many callers. */
export const promiseRates = async ({ server, print, report }: Bench, sizes: CoreSizes): Promise<void> => {
  await using floor = await openFloor(server)
  await using meters = await createMeters(server)
  await using dbos = await openDbos(server)
  await meters.add(sizes.meters)
  // The first commands wait for connections, plans and the compiler.
  await meters.tickAll(1, sizes.outstanding)
  const rounds: Round[] = []
  for (let n = 1; n <= sizes.rounds; n++) {
    const round = await measureRound({ floor, meters, dbos }, sizes)
    await meters.check()
    print(`round ${n} of ${sizes.rounds}: ${format(round)}`)
    rounds.push(round)
  }
  const findings = await meters.audit()
  if (findings.length > 0) throw new Error(`the audit found ${JSON.stringify(findings)}`)
  for (const line of equalConcurrency(rounds)) print(line)
  judge(report, rounds, sizes)
}

type Contestants = { readonly floor: Floor; readonly meters: Meters; readonly dbos: Dbos | undefined }

const measureRound = async ({ floor, meters, dbos }: Contestants, sizes: CoreSizes): Promise<Round> => {
  const ours = (callers: number) =>
    callFor(callers, sizes.oursMs, (caller, turn) => meters.tick(caller + turn * callers))
  const at = async (callers: number) => {
    // As long as ours where they are compared: shorter measurements vary more.
    const forMs = callers === 1 ? sizes.oursMs : sizes.floorMs
    return {
      select: await floor.select(callers, forMs),
      insert: await floor.insert(callers, forMs),
      ours: await ours(callers),
    }
  }
  const one = await at(CALLERS.one)
  const some = await at(CALLERS.some)
  const steps = await dbos?.stepsPerSecond(CALLERS.some, sizes.peerMs)
  const before = await floor.insert(1, sizes.floorMs)
  const many = await at(CALLERS.many)
  const between = await floor.insert(1, sizes.floorMs)
  const bulk = await ours(sizes.outstanding)
  const after = await floor.insert(1, sizes.floorMs)
  const perSecond = (loads: readonly Load[]) => Math.max(...loads.map(load => load.perSecond))
  return {
    byOne: { many: perSecond([before, between]), bulk: perSecond([between, after]) },
    select: { one: one.select, some: some.select, many: many.select },
    insert: { one: one.insert, some: some.insert, many: many.insert },
    ours: { one: one.ours, some: some.ours, many: many.ours },
    bulk,
    steps,
  }
}

/**
 * The best round counts. Latencies and the peer are compared with their best rounds. Each ratio to bare inserts by one
 * caller is taken within one round, with the floor measured before and after ours, so that a round with a disturbed
 * floor does not look better.
 */
const judge = (report: Report, rounds: readonly Round[], { outstanding }: CoreSizes): void => {
  const fastest = (load: (round: Round) => Load) => Math.max(...rounds.map(round => load(round).perSecond))
  const shortest = (load: (round: Round) => Load) => Math.min(...rounds.map(round => load(round).p50))

  const one = shortest(({ ours }) => ours.one)
  const select = shortest(round => round.select.one)
  const insert = shortest(round => round.insert.one)
  report.atMost('one caller, p50 against a bare select and a bare committed insert', one / (select + insert), 3, {
    as: times,
    from: `${milliseconds(one)} against ${milliseconds(select)} + ${milliseconds(insert)}`,
  })

  const some = fastest(({ ours }) => ours.some)
  report.atLeast('32 callers', some, 6_000, { as: perSecond })

  // Both in the same round, since a higher rate can be bought with a longer latency.
  const prompt = rounds.filter(({ ours }) => ours.many.p99 <= 40)
  const { many } = bestOf(prompt.length > 0 ? prompt : rounds, ({ ours }) => ours.many.perSecond, 'higher').ours
  report.judge(
    '256 callers',
    many.perSecond >= 12_000 && many.p99 <= 40,
    `${perSecond(many.perSecond)}, p99 ${milliseconds(many.p99)}`,
    '≥ 12,000/s, p99 ≤ 40 ms',
  )

  const bulk = fastest(round => round.bulk)
  report.atLeast(`bulk, ${outstanding} outstanding`, bulk, 15_000, { as: perSecond })

  const against = (promise: string, ours: number, theirs: number, bound: number) =>
    report.atLeast(promise, ours / theirs, bound, {
      as: times,
      from: `${perSecond(ours)} against ${perSecond(theirs)}`,
    })
  const comparedWithInserts = (
    promise: string,
    which: 'many' | 'bulk',
    ours: (round: Round) => Load,
    bound: number,
  ) => {
    const best = bestOf(rounds, round => ours(round).perSecond / round.byOne[which], 'higher')
    against(promise, ours(best).perSecond, best.byOne[which], bound)
  }
  comparedWithInserts('256 callers against bare committed inserts by one', 'many', ({ ours }) => ours.many, 8)
  comparedWithInserts('bulk against bare committed inserts by one', 'bulk', round => round.bulk, 10)
  const peer = '32 callers against DBOS steps by 32'
  const steps = rounds.flatMap(round => round.steps ?? [])
  if (steps.length > 0) against(peer, some, Math.max(...steps), 6)
  else report.skip(peer, '@dbos-inc/dbos-sdk is not installed')
}

const format = ({ select, insert, ours, bulk, byOne, steps }: Round): string =>
  [
    `p50 by one ${milliseconds(ours.one.p50)} (bare ${milliseconds(select.one.p50)} + ${milliseconds(insert.one.p50)})`,
    `32 callers ${perSecond(ours.some.perSecond)}${steps === undefined ? '' : ` (DBOS ${perSecond(steps)})`}`,
    `256 callers ${perSecond(ours.many.perSecond)}, p99 ${milliseconds(ours.many.p99)}`,
    `bulk ${perSecond(bulk.perSecond)}`,
    `bare inserts ${[insert.one.perSecond, byOne.many, byOne.bulk].map(perSecond).join(', ')}`,
  ].join('; ')

/** For information: the bare round trips with the same number of callers. */
const equalConcurrency = (rounds: readonly Round[]): string[] =>
  (['one', 'some', 'many'] as const).map(many => {
    const best = (what: 'select' | 'insert' | 'ours') =>
      perSecond(bestOf(rounds, round => round[what][many].perSecond, 'higher')[what][many].perSecond)
    return `callers ${CALLERS[many]}: bare selects ${best('select')}, bare committed inserts ${best('insert')}, commands ${best('ours')}`
  })
