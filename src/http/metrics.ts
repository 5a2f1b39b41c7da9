import { timingSafeEqual } from 'node:crypto'
import process from 'node:process'
import { feedLagMs } from '../actors/feed.ts'
import { chainIdsOf } from '../chain/connect.ts'
import { refuse } from '../errors.ts'
import type { Machinery } from '../machinery.ts'
import { type Backlog, readBacklog } from '../queries/backlog.ts'
import type { Sender } from '../webhooks/sender.ts'
import { isLoopback, isLoopbackHost } from './address.ts'
import type { Api } from './api.ts'
import * as docs from './docs/service.ts'
import { EXPOSITION_TYPE, expositionOf, type Family } from './exposition.ts'
import { type Check, inTime } from './health.ts'
import { forAnybody, type Route } from './route.ts'

/** `/metrics` for Prometheus: for clients with METRICS_TOKEN or, where none is set, for this machine. */
export const metricsRoutes = (
  checks: Readonly<Record<string, Check>>,
  services?: Pick<Machinery, 'sending' | 'longestLockWait'>,
): readonly Route[] => [
  forAnybody('GET', {
    path: '/metrics',
    docs: docs.metrics,
    handle: async (api, { headers, address }) => {
      if (!mayRead(api.settings, address, headers)) refuse('invalid_token')
      const [up, backlog, heldMs] = await Promise.all([
        stateOf(checks),
        soon(readBacklog(api.sql, chainIdsOf(api.chains))),
        // Asked for itself: what holds the feed back also lets dead rows pile up that the backlog is counted over.
        soon(feedLagMs(api.sql)),
      ])
      const families = [
        ...trafficOf(api),
        ...sendingOf(services?.sending),
        ...lockWaitOf(services),
        ...processOf(api),
        ...up,
        ...(backlog ? backlogOf(backlog) : []),
        ...(heldMs === undefined ? [] : [feedHeld(heldMs)]),
      ]
      return { status: 200, text: expositionOf(families), headers: EXPOSITION_TYPE }
    },
  }),
]

/**
 * Proxies on this machine pass requests on from loopback, and some of them with a Host of loopback and no header of
 * their own: what is reached under a public address is not open without a token.
 */
const mayRead = ({ metricsToken, publicUrl }: Api['settings'], address: string, headers: Headers): boolean => {
  if (metricsToken !== undefined) return isBearer(headers.get('authorization'), metricsToken)
  const forwarded = [...headers.keys()].some(name => byProxies.test(name))
  const hosts = [headers.get('host') ?? '', new URL(publicUrl).host]
  return isLoopback(address) && !forwarded && hosts.every(isLoopbackHost)
}

/** Proxies that keep the caller to themselves often tell the host that was asked for, or how. */
const byProxies = /^(x-forwarded-.*|forwarded|via|x-real-ip|cf-connecting-ip|true-client-ip)$/

const isBearer = (authorization: string | null, token: string): boolean => {
  const given = Buffer.from(authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** Without the database the rest is still worth telling. */
const soon = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  let value: T | undefined
  const failed = await inTime(async () => {
    value = await reading
    return undefined
  })
  return failed === undefined ? value : undefined
}

const stateOf = async (checks: Readonly<Record<string, Check>>): Promise<readonly Family[]> => [
  {
    name: 'paymachine_up',
    help: 'Whether a part of this process works, as /readyz has it.',
    type: 'gauge',
    samples: await Promise.all(
      Object.entries(checks).map(async ([part, check]) => ({
        labels: { part },
        value: (await inTime(check)) === undefined ? 1 : 0,
      })),
    ),
  },
]

const trafficOf = ({ traffic }: Api): readonly Family[] => [
  {
    name: 'paymachine_http_requests_total',
    help: 'Requests answered by this process.',
    type: 'counter',
    samples: traffic.answered().map(({ count, ...labels }) => ({ labels, value: count })),
  },
  {
    name: 'paymachine_http_request_duration_seconds',
    help: 'How long it took to answer them.',
    type: 'histogram',
    samples: traffic
      .durations()
      .flatMap(({ route, upTo, count, seconds }) => [
        ...upTo.map(([le, value]) => ({ suffix: '_bucket', labels: { route, le }, value })),
        { suffix: '_bucket', labels: { route, le: '+Inf' }, value: count },
        { suffix: '_sum', labels: { route }, value: seconds },
        { suffix: '_count', labels: { route }, value: count },
      ]),
  },
]

/** Nothing where nothing is sent. */
const sendingOf = (sending: Pick<Sender, 'counts'> | undefined): readonly Family[] => {
  if (!sending) return []
  const { open, ended } = sending.counts()
  return [
    gauge('paymachine_webhook_requests_open', 'Webhooks of this process that wait for an answer.', open),
    {
      name: 'paymachine_webhook_attempts_total',
      help: 'Attempts of this process to deliver webhooks, by what came of them.',
      type: 'counter',
      samples: [...ended].map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
  ]
}

const lockWaitOf = (services: Pick<Machinery, 'longestLockWait'> | undefined): readonly Family[] => {
  if (!services) return []
  const seconds = (services.longestLockWait()?.ms ?? 0) / 1_000
  const help = 'How long a command of this process has waited, at most, for a row that another transaction has locked.'
  return [gauge('paymachine_lock_wait_seconds', help, seconds)]
}

const gauge = (name: string, help: string, value: number): Family => ({
  name,
  help,
  type: 'gauge',
  samples: [{ value }],
})

const processOf = ({ clock }: Api): readonly Family[] => {
  const { user, system } = process.cpuUsage()
  return [
    {
      ...gauge('process_cpu_seconds_total', 'Processor time this process has used.', (user + system) / 1e6),
      type: 'counter',
    },
    gauge('process_resident_memory_bytes', 'Memory this process holds.', process.memoryUsage().rss),
    gauge(
      'process_start_time_seconds',
      'When it began, in Unix seconds.',
      Math.floor(clock.now().getTime() / 1_000 - process.uptime()),
    ),
  ]
}

const backlogOf = (backlog: Backlog): readonly Family[] => [
  gauge('paymachine_workers', 'Processes that work, in all.', backlog.workers),
  gauge('paymachine_jobs_ready', 'Jobs that could be taken now.', backlog.jobsReady),
  gauge('paymachine_jobs_given_up', 'Jobs that were tried as often as they may be.', backlog.jobsGivenUp),
  gauge('paymachine_timers_due', 'Timers that are due and have not fired.', backlog.timersDue),
  gauge('paymachine_timer_late_seconds', 'How long the latest of them has been due.', backlog.timerLateSeconds),
  gauge('paymachine_payments_untold', 'Payments not told yet what their chain shows.', backlog.paymentsUntold),
  gauge('paymachine_deliveries_due', 'Webhook deliveries that could be sent now.', backlog.deliveriesDue),
  gauge('paymachine_delivery_late_seconds', 'How long the latest of them has been due.', backlog.deliveryLateSeconds),
  {
    name: 'paymachine_refunds_unsigned',
    help: 'Refunds that their merchant has a signer for and that are not signed, by what keeps it from that.',
    type: 'gauge',
    samples: Object.entries(backlog.refundsUnsigned).map(([reason, value]) => ({ labels: { reason }, value })),
  },
  gauge(
    'paymachine_refund_open_seconds',
    'How long the oldest transaction of a refund signer waits to be final.',
    backlog.refundOpenSeconds,
  ),
  gauge(
    'paymachine_refunds_with_attention',
    'Refunds that a person must look at: money went where nobody waits for it, or they wait for what does not come.',
    backlog.refundsWithAttention,
  ),
  ofChains('paymachine_chain_head', 'The latest block that was read.', backlog, 'head'),
  ofChains('paymachine_chain_final', 'Up to this block transfers are final.', backlog, 'final'),
  ofChains('paymachine_chain_age_seconds', 'How old the latest block is that was read.', backlog, 'ageSeconds'),
]

const feedHeld = (ms: number): Family =>
  gauge(
    'paymachine_feed_held_seconds',
    'How long, at most, an open write transaction of any database of the server has held lists and feeds back.',
    ms / 1_000,
  )

const ofChains = (name: string, help: string, { chains }: Backlog, field: 'head' | 'final' | 'ageSeconds'): Family => ({
  name,
  help,
  type: 'gauge',
  samples: chains.map(chain => ({ labels: { chain: chain.chainId }, value: chain[field] })),
})
