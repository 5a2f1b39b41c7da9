import type { Bench } from './bench.ts'
import { startProgram } from './program.ts'
import { median, perSecond, type Report, times } from './promises.ts'
import type { WebhookSizes } from './webhooks.ts'
import type { Bullmq } from './webhooks-bullmq.ts'
import { commitBacklog, type Instance, openInstance } from './webhooks-instance.ts'
import { type Receiver, rateBetween, watchCount } from './webhooks-receiver.ts'
import { startSender } from './webhooks-sender.ts'

/** Deliveries per second of one round; figures of different rounds are not compared. */
type Round = {
  readonly bare: number
  readonly ours: number
  readonly bareOfOne: number
  readonly oursOfOne: number
  /** At its best concurrency. */
  readonly peer: number | undefined
}

const ENDPOINTS = 20

/** How fast a backlog is sent, compared with a loop that only sends, and with a peer. */
export const promiseRates = async (
  { server, print, report }: Bench,
  sizes: WebhookSizes,
  { receiver, peer }: { readonly receiver: Receiver; readonly peer: Bullmq | string },
): Promise<void> => {
  await using floor = await startFloor(receiver.port)
  await using many = await openInstance(server, { healthy: ENDPOINTS, port: receiver.port })
  await commitBacklog(many.sql, many.shops, sizes.backlog)
  await many.sql`vacuum analyze events, deliveries`
  await using single = await openInstance(server, { healthy: 1, port: receiver.port })
  await commitBacklog(single.sql, single.shops, sizes.backlogOfOne)
  await single.sql`vacuum analyze events, deliveries`

  const rounds: Round[] = []
  for (let n = 1; n <= sizes.rounds; n++) {
    const round = {
      bare: await floor.perSecond(ENDPOINTS, sizes.floorMs),
      ours: await drain(many, receiver, sizes.backlog),
      bareOfOne: await floor.perSecond(1, sizes.floorMs),
      oursOfOne: await drain(single, receiver, sizes.backlogOfOne),
      peer: typeof peer === 'string' ? undefined : await bestOfPeer(peer, receiver, sizes),
    }
    print(`rates, round ${n} of ${sizes.rounds}: ${format(round)}`)
    rounds.push(round)
  }
  judge(report, rounds, typeof peer === 'string' ? peer : undefined)
}

const judge = (report: Report, rounds: readonly Round[], noPeer: string | undefined): void => {
  const against = (promise: string, ours: (round: Round) => number, theirs: (round: Round) => number, bound: number) =>
    report.atLeast(promise, median(rounds.map(round => ours(round) / theirs(round))), bound, {
      as: times,
      from: `${perSecond(median(rounds.map(ours)))} against ${perSecond(median(rounds.map(theirs)))}`,
    })
  const ours = (round: Round) => round.ours
  against(`${ENDPOINTS} endpoints against a bare loop of the same requests`, ours, ({ bare }) => bare, 0.4)
  const { oursOfOne, bareOfOne } = { oursOfOne: (r: Round) => r.oursOfOne, bareOfOne: (r: Round) => r.bareOfOne }
  against('one endpoint against a bare loop of the same requests', oursOfOne, bareOfOne, 0.35)
  const promise = `${ENDPOINTS} endpoints against BullMQ with a Redis that syncs always`
  if (noPeer !== undefined) report.skip(promise, noPeer)
  else against(promise, ours, ({ peer }) => peer ?? Number.NaN, 1.25)
}

const bestOfPeer = async (peer: Bullmq, receiver: Receiver, { peerJobs: jobs }: WebhookSizes): Promise<number> => {
  const at = (concurrency: number) => peer.perSecond(receiver, { jobs, concurrency, endpoints: ENDPOINTS })
  return Math.max(await at(32), await at(64))
}

/** From when a quarter was sent and the sender is warm, until nine tenths are sent. */
const drain = async (instance: Instance, receiver: Receiver, backlog: number): Promise<number> => {
  await using copy = await instance.copy()
  await receiver.reset()
  await using sender = await startSender(copy.url)
  const marks = await watchCount(receiver, { until: backlog })
  await sender.stop()
  const { distinct, answered, wrong } = await receiver.counts()
  const [row] = await copy.sql<{ delivered: number }[]>`
    select count(*)::integer as delivered from deliveries where state = 'delivered' and attempts = 1`
  if (answered !== backlog || distinct !== backlog || row?.delivered !== backlog || wrong > 0)
    throw new Error(`${row?.delivered} of ${backlog} were delivered by ${answered} requests, ${wrong} of them wrong`)
  return rateBetween(marks, 0.25 * backlog, 0.9 * backlog)
}

/** A process that sends without a database. */
const startFloor = async (port: number) => {
  const program = await startProgram('./webhooks-floor-program.ts', `${port}`)
  const { control } = JSON.parse(program.output) as { control: number }
  return {
    perSecond: async (endpoints: number, forMs: number): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${control}/run?endpoints=${endpoints}&forMs=${forMs}`)
      return ((await answer.json()) as { perSecond: number }).perSecond
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

const format = ({ bare, ours, bareOfOne, oursOfOne, peer }: Round): string =>
  [
    `${ENDPOINTS} endpoints ${perSecond(ours)}, bare ${perSecond(bare)} (${times(ours / bare)})`,
    `one ${perSecond(oursOfOne)}, bare ${perSecond(bareOfOne)} (${times(oursOfOne / bareOfOne)})`,
    ...(peer === undefined ? [] : [`BullMQ ${perSecond(peer)} (${times(ours / peer)})`]),
  ].join('; ')
