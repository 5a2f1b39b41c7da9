import type { Bench } from './bench.ts'
import { callFor, type Load } from './callers.ts'
import type { CoreSizes } from './core.ts'
import { type Dbos, openDbos } from './dbos.ts'
import { type Floor, openFloor } from './floor.ts'
import { createMeters, type Meters } from './meters.ts'
import { bestOf, milliseconds, perSecond, type Report, times } from './promises.ts'

/** Everything once, ours right after the floor it stands on, so that the machine's moods hit both. */
type Round = {
  readonly select: Loads
  readonly insert: Loads
  readonly ours: Loads
  readonly bulk: Load
  readonly steps: number | undefined
}

type Loads = { readonly one: Load; readonly some: Load; readonly many: Load }

const CALLERS = { one: 1, some: 32, many: 256 } as const

/** How fast commands are, by so many callers. */
export const promiseRates = async ({ server, say, report }: Bench, sizes: CoreSizes): Promise<void> => {
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
    say(`round ${n} of ${sizes.rounds}: ${tell(round)}`)
    rounds.push(round)
  }
  const findings = await meters.audit()
  if (findings.length > 0) throw new Error(`the audit found ${JSON.stringify(findings)}`)
  for (const line of equalConcurrency(rounds)) say(line)
  judge(report, rounds, sizes)
}

type Contestants = { readonly floor: Floor; readonly meters: Meters; readonly dbos: Dbos | undefined }

const measureRound = async ({ floor, meters, dbos }: Contestants, sizes: CoreSizes): Promise<Round> => {
  const ours = (callers: number) =>
    callFor(callers, sizes.oursMs, (caller, turn) => meters.tick(caller + turn * callers))
  const at = async (callers: number) => ({
    select: await floor.select(callers, sizes.floorMs),
    insert: await floor.insert(callers, sizes.floorMs),
    ours: await ours(callers),
  })
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

const judge = (report: Report, rounds: readonly Round[], { outstanding }: CoreSizes): void => {
  const ratio = ({ select, insert, ours }: Round) => ours.one.p50 / (select.one.p50 + insert.one.p50)
  const one = bestOf(rounds, ratio, 'lower')
  report.atMost('one caller, p50 against a bare select and a bare committed insert', ratio(one), 3, {
    as: times,
    from: `${milliseconds(one.ours.one.p50)} against ${milliseconds(one.select.one.p50)} + ${milliseconds(one.insert.one.p50)}`,
  })

  const some = bestOf(rounds, ({ ours }) => ours.some.perSecond, 'higher')
  report.atLeast('32 callers', some.ours.some.perSecond, 6_000, { as: perSecond })

  // Both in one round: a rate bought with waiting is none.
  const prompt = rounds.filter(({ ours }) => ours.many.p99 <= 40)
  const { many } = bestOf(prompt.length > 0 ? prompt : rounds, ({ ours }) => ours.many.perSecond, 'higher').ours
  report.judge(
    '256 callers',
    many.perSecond >= 12_000 && many.p99 <= 40,
    `${perSecond(many.perSecond)}, p99 ${milliseconds(many.p99)}`,
    '≥ 12,000/s, p99 ≤ 40 ms',
  )

  const bulk = bestOf(rounds, round => round.bulk.perSecond, 'higher')
  report.atLeast(`bulk, ${outstanding} outstanding`, bulk.bulk.perSecond, 15_000, { as: perSecond })

  const against = (promise: string, bound: number, ours: (round: Round) => Load) => {
    const figure = (round: Round) => ours(round).perSecond / round.insert.one.perSecond
    const best = bestOf(rounds, figure, 'higher')
    const from = `${perSecond(ours(best).perSecond)} against ${perSecond(best.insert.one.perSecond)}`
    report.atLeast(promise, figure(best), bound, { as: times, from })
  }
  against('256 callers against bare committed inserts by one', 8, ({ ours }) => ours.many)
  against('bulk against bare committed inserts by one', 10, round => round.bulk)

  judgePeer(report, rounds)
}

const judgePeer = (report: Report, rounds: readonly Round[]): void => {
  const promise = '32 callers against DBOS steps by 32'
  const peered = rounds.flatMap(({ ours, steps }) =>
    steps === undefined ? [] : [{ ours: ours.some.perSecond, steps }],
  )
  if (peered.length === 0) {
    report.skip(promise, '@dbos-inc/dbos-sdk is not installed')
    return
  }
  const best = bestOf(peered, ({ ours, steps }) => ours / steps, 'higher')
  const from = `${perSecond(best.ours)} against ${perSecond(best.steps)}`
  report.atLeast(promise, best.ours / best.steps, 6, { as: times, from })
}

const tell = ({ select, insert, ours, bulk, steps }: Round): string =>
  [
    `p50 by one ${milliseconds(ours.one.p50)} (bare ${milliseconds(select.one.p50)} + ${milliseconds(insert.one.p50)})`,
    `32 callers ${perSecond(ours.some.perSecond)}${steps === undefined ? '' : ` (DBOS ${perSecond(steps)})`}`,
    `256 callers ${perSecond(ours.many.perSecond)}, p99 ${milliseconds(ours.many.p99)}`,
    `bulk ${perSecond(bulk.perSecond)}`,
    `bare inserts ${perSecond(insert.one.perSecond)}`,
  ].join('; ')

/** For information: what the bare round trips make of the same number of callers. */
const equalConcurrency = (rounds: readonly Round[]): string[] =>
  (['one', 'some', 'many'] as const).map(many => {
    const best = (what: 'select' | 'insert' | 'ours') =>
      perSecond(bestOf(rounds, round => round[what][many].perSecond, 'higher')[what][many].perSecond)
    return `callers ${CALLERS[many]}: bare selects ${best('select')}, bare committed inserts ${best('insert')}, commands ${best('ours')}`
  })
