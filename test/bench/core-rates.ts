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
  const many = await at(CALLERS.many)
  const bulk = await ours(sizes.outstanding)
  return {
    select: { one: one.select, some: some.select, many: many.select },
    insert: { one: one.insert, some: some.insert, many: many.insert },
    ours: { one: one.ours, some: some.ours, many: many.ours },
    bulk,
    steps,
  }
}

/** The best round counts, of ours and of what it is compared with. */
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

  const peer = '32 callers against DBOS steps by 32'
  const steps = rounds.flatMap(round => round.steps ?? [])
  const theirs = Math.max(...steps)
  if (steps.length > 0)
    report.atLeast(peer, some / theirs, 6, { as: times, from: `${perSecond(some)} against ${perSecond(theirs)}` })
  else report.skip(peer, '@dbos-inc/dbos-sdk is not installed')
}

const format = ({ select, insert, ours, bulk, steps }: Round): string =>
  [
    `p50 by one ${milliseconds(ours.one.p50)} (bare ${milliseconds(select.one.p50)} + ${milliseconds(insert.one.p50)})`,
    `32 callers ${perSecond(ours.some.perSecond)}${steps === undefined ? '' : ` (DBOS ${perSecond(steps)})`}`,
    `256 callers ${perSecond(ours.many.perSecond)}, p99 ${milliseconds(ours.many.p99)}`,
    `bulk ${perSecond(bulk.perSecond)}`,
    `bare inserts ${perSecond(insert.one.perSecond)}`,
  ].join('; ')

/** For information: the bare round trips with the same number of callers. */
const equalConcurrency = (rounds: readonly Round[]): string[] =>
  (['one', 'some', 'many'] as const).map(many => {
    const best = (what: 'select' | 'insert' | 'ours') =>
      perSecond(bestOf(rounds, round => round[what][many].perSecond, 'higher')[what][many].perSecond)
    return `callers ${CALLERS[many]}: bare selects ${best('select')}, bare committed inserts ${best('insert')}, commands ${best('ours')}`
  })
