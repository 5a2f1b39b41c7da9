import { timingSafeEqual } from 'node:crypto'
import process from 'node:process'
import { feedLagMs } from '../actors/feed.ts'
import type { LockWait } from '../actors/locked-actors.ts'
import { chainIdsOf } from '../chain/enabled/connect.ts'
import { refuse } from '../errors.ts'
import { kinds } from '../kinds/all.ts'
import { drivenStates } from '../kinds/event-marks.ts'
import { type Backlog, readBacklog } from '../queries/backlog.ts'
import { type DatabaseReading, readDatabase } from '../queries/ops/database.ts'
import { findStuck, type StuckActor, stuckReasons } from '../queries/ops/stuck.ts'
import type { Sender } from '../webhooks/sender.ts'
import type { Api } from './api.ts'
import { metricsDocs } from './docs/service.ts'
import { EXPOSITION_TYPE, expositionOf, type MetricFamily } from './exposition.ts'
import { type HealthCheck, withHealthTimeout } from './health.ts'
import { isFromThisMachine } from './local-request.ts'
import { forAnybody, type Route } from './route.ts'

/** The background services of the process, as far as they are measured. */
export type MeasuredServices = {
  /** Undefined in a process that sends no webhooks. */
  readonly sending: Pick<Sender, 'counts'> | undefined
  longestLockWait(): LockWait | undefined
}

/** `/metrics` for Prometheus: with METRICS_TOKEN or, if it is not set, from this machine only. */
export const metricsRoutes = (
  checks: Readonly<Record<string, HealthCheck>>,
  services?: MeasuredServices,
): readonly Route[] => [
  forAnybody('GET', {
    path: '/metrics',
    docs: metricsDocs,
    handle: async (api, { headers, address }) => {
      if (!mayRead(api.settings, address, headers)) refuse('invalid_token')
      const [up, backlog, heldMs, stuck, database] = await Promise.all([
        stateOf(checks),
        soon(readBacklog(api.sql, chainIdsOf(api.chains))),
        // A separate query: the transaction that holds the feed back also makes the query of the backlog slow.
        soon(feedLagMs(api.sql)),
        soon(findStuck(api.sql, kinds, { driven: drivenStates, limit: MOST_STUCK })),
        soon(readDatabase(api.sql)),
      ])
      const families = [
        ...trafficOf(api),
        ...sendingOf(services?.sending),
        ...lockWaitOf(services),
        ...processOf(api),
        ...up,
        ...(backlog ? backlogOf(backlog) : []),
        ...stuckOf(stuck),
        ...(heldMs === undefined ? [] : [feedHeld(heldMs)]),
        ...(database ? databaseOf(database) : []),
      ]
      return { status: 200, text: expositionOf(families), headers: EXPOSITION_TYPE }
    },
  }),
]

const mayRead = ({ metricsToken, publicUrl }: Api['settings'], address: string, headers: Headers): boolean =>
  metricsToken === undefined
    ? isFromThisMachine({ publicUrl }, address, headers)
    : isBearer(headers.get('authorization'), metricsToken)

const isBearer = (authorization: string | null, token: string): boolean => {
  const given = Buffer.from(authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** Without the database the other metrics are still returned. */
const soon = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  let value: T | undefined
  const failed = await withHealthTimeout(async () => {
    value = await reading
    return undefined
  })
  return failed === undefined ? value : undefined
}

const stateOf = async (checks: Readonly<Record<string, HealthCheck>>): Promise<readonly MetricFamily[]> => [
  {
    name: 'paymachine_up',
    help: 'Whether a part of this process is ok, as in /readyz.',
    type: 'gauge',
    samples: await Promise.all(
      Object.entries(checks).map(async ([part, check]) => ({
        labels: { part },
        value: (await withHealthTimeout(check)) === undefined ? 1 : 0,
      })),
    ),
  },
]

const trafficOf = ({ traffic }: Api): readonly MetricFamily[] => [
  {
    name: 'paymachine_http_requests_total',
    help: 'Requests answered by this process.',
    type: 'counter',
    samples: traffic.answered().map(({ count, ...labels }) => ({ labels, value: count })),
  },
  {
    name: 'paymachine_http_request_duration_seconds',
    help: 'Duration of the requests in seconds.',
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

/** Empty in a process that sends no webhooks. */
const sendingOf = (sending: Pick<Sender, 'counts'> | undefined): readonly MetricFamily[] => {
  if (!sending) return []
  const { open, ended } = sending.counts()
  return [
    gauge('paymachine_webhook_requests_open', 'Webhook requests of this process that wait for a response.', open),
    {
      name: 'paymachine_webhook_attempts_total',
      help: 'Webhook delivery attempts of this process, by outcome.',
      type: 'counter',
      samples: [...ended].map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
  ]
}

const lockWaitOf = (services: Pick<MeasuredServices, 'longestLockWait'> | undefined): readonly MetricFamily[] => {
  if (!services) return []
  const seconds = (services.longestLockWait()?.ms ?? 0) / 1_000
  const help = 'Longest wait of a command of this process for a row that another transaction has locked.'
  return [gauge('paymachine_lock_wait_seconds', help, seconds)]
}

const gauge = (name: string, help: string, value: number): MetricFamily => ({
  name,
  help,
  type: 'gauge',
  samples: [{ value }],
})

const processOf = ({ clock }: Api): readonly MetricFamily[] => {
  const { user, system } = process.cpuUsage()
  return [
    {
      ...gauge('process_cpu_seconds_total', 'CPU time that this process has used.', (user + system) / 1e6),
      type: 'counter',
    },
    gauge('process_resident_memory_bytes', 'Resident memory of this process.', process.memoryUsage().rss),
    gauge(
      'process_start_time_seconds',
      'Start time of this process, in Unix seconds.',
      Math.floor(clock.now().getTime() / 1_000 - process.uptime()),
    ),
  ]
}

const backlogOf = (backlog: Backlog): readonly MetricFamily[] => [
  gauge('paymachine_workers', 'Number of worker processes.', backlog.workers),
  gauge('paymachine_jobs_ready', 'Jobs that are ready to run.', backlog.jobsReady),
  gauge(
    'paymachine_jobs_given_up',
    'Jobs that have failed permanently after the maximum number of attempts.',
    backlog.jobsGivenUp,
  ),
  gauge('paymachine_timers_due', 'Timers that are due and have not fired.', backlog.timersDue),
  gauge('paymachine_timer_late_seconds', 'Delay of the oldest due timer.', backlog.timerLateSeconds),
  gauge(
    'paymachine_payments_unsettled',
    'Payments that have not processed all recorded transfers yet.',
    backlog.paymentsUnsettled,
  ),
  gauge('paymachine_deliveries_due', 'Webhook deliveries that are ready to be sent.', backlog.deliveriesDue),
  gauge('paymachine_delivery_late_seconds', 'Delay of the oldest due webhook delivery.', backlog.deliveryLateSeconds),
  {
    name: 'paymachine_refunds_unsigned',
    help: 'Refunds with a signer that are not signed, by reason.',
    type: 'gauge',
    samples: Object.entries(backlog.refundsUnsigned).map(([reason, value]) => ({ labels: { reason }, value })),
  },
  gauge(
    'paymachine_refund_open_seconds',
    'Age of the oldest transaction of a refund signer that is not final.',
    backlog.refundOpenSeconds,
  ),
  gauge(
    'paymachine_refunds_with_attention',
    'Refunds that need attention: money was moved unexpectedly, or the refund cannot continue without a person.',
    backlog.refundsWithAttention,
  ),
  gauge('paymachine_audit_findings', 'Checks with breaches in the last finished audit.', backlog.auditFindings),
  gauge(
    'paymachine_audit_age_seconds',
    'Time since the last finished audit, or since the database was created if there is none.',
    backlog.auditAgeSeconds,
  ),
  ofChains('paymachine_chain_head', 'Number of the latest block that was read.', backlog, 'head'),
  ofChains(
    'paymachine_chain_final',
    'Number of the final block: transfers up to this block are final.',
    backlog,
    'final',
  ),
  ofChains('paymachine_chain_age_seconds', 'Age of the latest block that was read.', backlog, 'ageSeconds'),
]

/** Of each state and reason. */
const MOST_STUCK = 1_000

/** Undefined: not known at the moment. */
const stuckOf = (stuck: readonly StuckActor[] | undefined): readonly MetricFamily[] =>
  stuck === undefined
    ? []
    : [
        {
          name: 'paymachine_actors_stuck',
          help: 'Actors that stay too long in a state that the chain, a timer or the server leaves, as in /v1/ops/stuck.',
          type: 'gauge',
          samples: kinds.flatMap(({ name: kind }) =>
            stuckReasons.map(reason => ({
              labels: { kind, reason },
              value: stuck.filter(actor => actor.kind === kind && actor.reason === reason).length,
            })),
          ),
        },
      ]

const feedHeld = (ms: number): MetricFamily =>
  gauge(
    'paymachine_feed_held_seconds',
    'Longest time for which an open write transaction in any database of the server has held lists, feeds and figures back.',
    ms / 1_000,
  )

const databaseOf = ({
  sizeBytes,
  connections,
  maxConnections,
  retention,
}: DatabaseReading): readonly MetricFamily[] => [
  gauge('paymachine_database_bytes', 'Size of the database: all tables and indexes.', sizeBytes),
  gauge('paymachine_database_connections', 'Open connections to all databases of this Postgres.', connections),
  gauge('paymachine_database_connections_max', 'max_connections of this Postgres.', maxConnections),
  {
    name: 'paymachine_retention_dropped_total',
    help: 'Old records that were dropped, by part.',
    type: 'counter',
    samples: retention.map(({ part, dropped }) => ({ labels: { part }, value: dropped })),
  },
  {
    name: 'paymachine_retention_age_seconds',
    help: 'Time since the last night on which nothing older was left to drop, by part; none where everything is kept.',
    type: 'gauge',
    samples: retention.flatMap(({ part, ageSeconds }) =>
      ageSeconds === null ? [] : [{ labels: { part }, value: ageSeconds }],
    ),
  },
  {
    name: 'paymachine_retention_held_back',
    help: 'Whether old records are kept because an audit was not clean or an error occurred, by part.',
    type: 'gauge',
    samples: retention.map(({ part, heldBack }) => ({ labels: { part }, value: heldBack === null ? 0 : 1 })),
  },
]

const ofChains = (
  name: string,
  help: string,
  { chains }: Backlog,
  field: 'head' | 'final' | 'ageSeconds',
): MetricFamily => ({
  name,
  help,
  type: 'gauge',
  samples: chains.map(chain => ({ labels: { chain: chain.chainId }, value: chain[field] })),
})
