import { type Bench, printSizes } from './bench.ts'
import { openBullmq } from './webhooks-bullmq.ts'
import { promiseIsolation } from './webhooks-isolation.ts'
import { promiseKills } from './webhooks-kills.ts'
import { promiseLatency } from './webhooks-latency.ts'
import { promisePending } from './webhooks-pending.ts'
import { promiseRates } from './webhooks-rates.ts'
import { startReceiver } from './webhooks-receiver.ts'
import { promiseSilent } from './webhooks-silent.ts'

export type WebhookSizes = {
  readonly rounds: number
  /** Deliveries that wait when a sender starts, and jobs of the peer. */
  readonly backlog: number
  readonly backlogOfOne: number
  readonly peerJobs: number
  readonly floorMs: number
  /** One delivery in twenty goes to a silent receiver: for how long, and how many wait. */
  readonly silentMs: number
  readonly silentBacklog: number
  /** Events one after the other. */
  readonly single: number
  readonly singleLost: number
  /** Endpoints that respond, and as many that do not, and the events per second of each kind. */
  readonly crowd: number
  readonly perSecond: number
  /** When counting starts, so that a cold start does not count. */
  readonly fromMs: number
  readonly aloneMs: number
  readonly besideMs: number
  readonly crowdBacklog: number
  readonly silentBacklogOfCrowd: number
  /** Pending deliveries while some are claimed, and their number in the comparison. */
  readonly pending: number
  readonly fewPending: number
  readonly claims: number
  readonly kills: number
  readonly killEveryMs: number
  readonly killBacklog: number
  /** False: the clock is moved forward instead. */
  readonly waitsForLease: boolean
}

const whole: WebhookSizes = {
  rounds: 3,
  backlog: 30_000,
  backlogOfOne: 20_000,
  peerJobs: 15_000,
  floorMs: 3_000,
  silentMs: 16_000,
  silentBacklog: 150_000,
  single: 200,
  singleLost: 60,
  crowd: 1_000,
  perSecond: 1_000,
  fromMs: 5_000,
  aloneMs: 10_000,
  besideMs: 20_000,
  crowdBacklog: 150_000,
  silentBacklogOfCrowd: 20_000,
  pending: 1_000_000,
  fewPending: 1_000,
  claims: 150,
  kills: 5,
  killEveryMs: 1_000,
  killBacklog: 20_000,
  waitsForLease: true,
}

const quick: WebhookSizes = {
  ...whole,
  rounds: 1,
  backlog: 8_000,
  backlogOfOne: 5_000,
  peerJobs: 3_000,
  floorMs: 900,
  silentMs: 2_000,
  silentBacklog: 10_000,
  single: 40,
  singleLost: 10,
  crowd: 100,
  perSecond: 200,
  aloneMs: 6_000,
  besideMs: 7_000,
  crowdBacklog: 15_000,
  silentBacklogOfCrowd: 2_000,
  pending: 20_000,
  claims: 30,
  kills: 2,
  killEveryMs: 300,
  killBacklog: 4_000,
  waitsForLease: false,
}

/** How fast and how soon webhooks are sent, and the effect of silent endpoints, long queues and kills. */
export const webhooks = (bench: Bench): Promise<void> => measureWebhooks(bench, bench.quick ? quick : whole)

export const measureWebhooks = async (bench: Bench, sizes: WebhookSizes): Promise<void> => {
  const { waitsForLease: _, ...printed } = sizes
  printSizes(bench, printed)
  await using receiver = await startReceiver()
  await promiseLatency(bench, sizes, receiver)
  const found = sizes.peerJobs > 0 ? await openBullmq() : 'it is not measured in this run'
  await using peer = typeof found === 'string' ? undefined : found
  await promiseRates(bench, sizes, { receiver, peer: peer ?? String(found) })
  await promiseSilent(bench, sizes, { receiver, peer: peer ?? String(found) })
  await promiseIsolation(bench, sizes, receiver)
  await promisePending(bench, sizes)
  await promiseKills(bench, sizes, receiver)
}
