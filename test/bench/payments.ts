import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../harness/until.ts'
import { type Bench, printSizes } from './bench.ts'
import { type Floor, openFloor } from './payments-floor.ts'
import { startLoad } from './payments-load.ts'
import { openMeter, otherShare, type Spent, spentBetween, spentText } from './payments-meter.ts'
import { linesOf, payOne, requireSameRows } from './payments-paid-rows.ts'
import { openService, type Service } from './payments-service.ts'
import { bestOf, perSecond, type Report, times } from './promises.ts'

export type PaymentSizes = {
  readonly rounds: number
  /** Payments that are open, seen or not yet delivered at any moment. */
  readonly inFlight: number
  /** Each merchant has one endpoint. */
  readonly merchants: number
  readonly warmUpMs: number
  readonly measureMs: number
  readonly floorMs: number
  /** How often the bench mines a block; a payment is final after 40 blocks. */
  readonly blockMs: number
}

const whole: PaymentSizes = {
  rounds: 3,
  inFlight: 4_096,
  merchants: 20,
  warmUpMs: 15_000,
  measureMs: 12_000,
  floorMs: 4_000,
  blockMs: 50,
}

const quick: PaymentSizes = { ...whole, rounds: 1, inFlight: 2_048, warmUpMs: 3_000, measureMs: 6_000, floorMs: 1_500 }

/** How many payments per second go all the way through the service, and what each costs. */
export const payments = (bench: Bench): Promise<void> => measurePayments(bench, bench.quick ? quick : whole)

type Round = Measured & { readonly floor: Measured }

type Measured = { readonly perSecond: number; readonly spent: Spent }

type Contestants = { readonly service: Service; readonly floor: Floor }

export const measurePayments = async (bench: Bench, sizes: PaymentSizes): Promise<void> => {
  const { server, print } = bench
  printSizes(bench, sizes)
  const options = { merchants: sizes.merchants, links: sizes.inFlight }
  await using service = await openService(server, options)
  const { paid, ...rows } = await payOne(service, sizes.blockMs)
  for (const line of await linesOf(service.sql, rows)) print(line)
  await using floor = await openFloor(server, { ...options, history: rows.history })
  await requireSameRows(rows, floor)
  await measureRounds(bench, sizes, { service, floor, paid })
}

const measureRounds = async (
  { print, report }: Bench,
  sizes: PaymentSizes,
  { service, floor, paid }: Contestants & { readonly paid: number },
): Promise<void> => {
  // Until the code is compiled.
  const warmUp = await startLoad(service, sizes)
  await sleep(sizes.warmUpMs)
  let complete = paid + (await warmUp.finish())
  const rounds: Round[] = []
  for (let n = 1; n <= sizes.rounds; n++) {
    const { done, ...ours } = await measureOurs(service, sizes, print)
    complete += done
    const round = { ...ours, floor: await measureFloor(floor, sizes) }
    rounds.push(round)
    print(`round ${n} of ${sizes.rounds}: ${roundText(round)}`)
  }
  const logged = await service.finish(complete)
  if (logged.length > 0) print(`${logged.length} warnings were logged, the first: ${logged[0]}`)
  print(`${complete} payments, all of them complete`)
  judge(report, rounds)
}

/** The rate while as many payments complete as are opened; everything else is per opened payment. */
const measureOurs = async (service: Service, sizes: PaymentSizes, print: Bench['print']) => {
  const { pid, node, receiver, sql } = service
  const meter = await openMeter(sql, { server: pid, node: node.pid, receiver: receiver.pid })
  const before = await meter.read()
  const load = await startLoad(service, sizes)
  await until(() => load.completed() >= sizes.inFlight, { timeoutMs: 120_000, what: 'the first payments' })
  const from = { at: performance.now(), completed: load.completed() }
  const measured = await meter.read()
  await sleep(sizes.measureMs)
  const took = performance.now() - from.at
  const completed = load.completed() - from.completed
  const after = await meter.read()
  const [oneMinute = 0] = loadavg()
  print(
    `load average ${oneMinute.toFixed(1)}, other processes used ${percent(otherShare(measured, after))} of one processor`,
  )
  const done = await load.finish()
  return { done, perSecond: (completed / took) * 1_000, spent: spentBetween(before, await meter.read(), done) }
}

const measureFloor = async (floor: Floor, { inFlight, floorMs }: PaymentSizes): Promise<Measured> => {
  const meter = await openMeter(floor.sql, {})
  const before = await meter.read()
  const { done, perSecond } = await floor.run(inFlight, floorMs)
  return { perSecond, spent: spentBetween(before, await meter.read(), done) }
}

const judge = (report: Report, rounds: readonly Round[]): void => {
  const fastest = bestOf(rounds, round => round.perSecond, 'higher')
  report.atLeast('complete payments', fastest.perSecond, 340, { as: perSecond, from: spentText(fastest.spent) })
  // The fastest of each: a disturbed round of the floor would flatter the ratio.
  const floor = bestOf(
    rounds.map(round => round.floor),
    each => each.perSecond,
    'higher',
  )
  const from = `${perSecond(fastest.perSecond)} against ${perSecond(floor.perSecond)}`
  const promise = 'complete payments against the same rows by bare batched statements'
  report.atLeast(promise, fastest.perSecond / floor.perSecond, 0.3, { as: times, from })
}

const roundText = ({ floor, ...ours }: Round): string =>
  `${perSecond(ours.perSecond)} (${spentText(ours.spent)}); ` +
  `floor ${perSecond(floor.perSecond)} (${spentText(floor.spent)}), ${times(ours.perSecond / floor.perSecond)}`

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
