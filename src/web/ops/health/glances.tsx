import type { ComponentChildren } from 'preact'
import { Facts } from '../../dashboard/shell/record.tsx'
import type { BadgeTone } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { StateMark, type StateShape } from '../../parts/state-mark.tsx'
import { useOpsTexts } from '../shell/texts.ts'
import { formatBytes } from './bytes.ts'
import { isFailing, wasDisabled } from './endpoint-failures.ts'
import { type HealthReading, isRunning } from './failures.ts'

/** Everything at a glance, each part with a link to its page. */
export const Glances = (reading: HealthReading) => (
  <div class="glance">
    <WorkersGlance {...reading} />
    <QueuesGlance {...reading} />
    <DeliveriesGlance {...reading} />
    <ChainsGlance {...reading} />
    <DatabaseGlance {...reading} />
    <AuditGlance {...reading} />
  </div>
)

type GlanceProps = {
  readonly title: string
  /** Undefined: there is no page with more. */
  readonly path?: string
  readonly children: ComponentChildren
}

const Glance = ({ title, path, children }: GlanceProps) => (
  <div>
    <h3>{path === undefined ? title : <a href={path}>{title}</a>}</h3>
    {children}
  </div>
)

const WorkersGlance = ({ workers, at }: HealthReading) => {
  const { health, nav } = useOpsTexts()
  const { formats } = useReader()
  const last = workers.map(({ heartbeatAt }) => heartbeatAt).sort()
  const seen = last.at(-1)
  return (
    <Glance title={nav.workers} path="/ops/workers">
      <Facts
        facts={[
          [health.running, formats.count(workers.filter(worker => isRunning(worker, at)).length)],
          [health.lastSeen, seen === undefined ? health.never : <Moment at={seen} short />],
        ]}
      />
    </Glance>
  )
}

const QueuesGlance = ({ queues }: HealthReading) => {
  const { health, nav } = useOpsTexts()
  const { formats } = useReader()
  const sum = (key: 'ready' | 'delayed' | 'failed') => formats.count(queues.reduce((all, each) => all + each[key], 0))
  const oldest = Math.max(0, ...queues.map(({ oldestAgeMs }) => oldestAgeMs))
  return (
    <Glance title={nav.queues} path="/ops/queues">
      <Facts
        facts={[
          [health.waiting, sum('ready')],
          [health.later, sum('delayed')],
          [health.failed, sum('failed')],
          [health.oldest, oldest === 0 ? health.none : formats.duration(oldest)],
        ]}
      />
    </Glance>
  )
}

const DeliveriesGlance = ({ queues, endpoints }: HealthReading) => {
  const { health } = useOpsTexts()
  const { formats } = useReader()
  const queue = queues.find(({ task }) => task === 'deliveries')
  return (
    <Glance title={health.deliveries}>
      <Facts
        facts={[
          [health.waiting, queue && formats.count(queue.ready)],
          [health.later, queue && formats.count(queue.delayed)],
          [health.failingEndpoints, formats.count(endpoints.filter(isFailing).length)],
          [health.disabledEndpoints, formats.count(endpoints.filter(wasDisabled).length)],
        ]}
      />
    </Glance>
  )
}

type NodeState = HealthReading['chains'][number]['nodes'][number]['state']

const looks: Readonly<Record<NodeState, readonly [StateShape, BadgeTone]>> = {
  healthy: ['done', 'good'],
  behind: ['warn', 'warn'],
  paused: ['bad', 'bad'],
  unknown: ['next', 'quiet'],
}

const ChainsGlance = ({ chains }: HealthReading) => {
  const { health, nav, chains: texts } = useOpsTexts()
  const { formats } = useReader()
  return (
    <Glance title={nav.chains} path="/ops/chains">
      {chains.map(({ chainId, name, lagBlocks, nodes }) => (
        <div key={chainId}>
          <Facts facts={[[name, lagBlocks === null ? health.unknown : health.chains(formats.count(lagBlocks))]]} />
          <ul class="nodes">
            {nodes.map(({ label, state }) => (
              <li key={label} data-tone={looks[state][1]}>
                <StateMark shape={looks[state][0]} />
                <span>
                  {label}
                  <span class="sr"> {texts.states[state]}</span>
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {chains.length === 0 && <p class="quiet">{texts.none}</p>}
    </Glance>
  )
}

const DatabaseGlance = ({ database }: HealthReading) => {
  const { health } = useOpsTexts()
  const { locale, formats } = useReader()
  if (!database) return null
  const { version, sizeBytes, connections, maxConnections, transactions, retention, disk } = database
  const [dropped] = retention.flatMap(({ completedAt }) => completedAt ?? []).sort()
  const [longest] = transactions
  const bytes = (value: number) => formatBytes(locale, value)
  return (
    <div id="database">
      <Glance title={health.database}>
        <Facts
          facts={[
            [health.size, bytes(sizeBytes)],
            [health.connections, health.of(formats.count(connections), formats.count(maxConnections))],
            [
              health.longest,
              longest === undefined ? health.noLong : `${formats.duration(longest.ageMs)} · ${longest.pid}`,
            ],
            [health.freeDisk, disk && health.of(bytes(disk.freeBytes), bytes(disk.totalBytes))],
            [health.retention, dropped === undefined ? health.never : <Moment at={dropped} short />],
            ['Postgres', version],
          ]}
        />
      </Glance>
    </div>
  )
}

const AuditGlance = ({ audits }: HealthReading) => {
  const { health, nav, audits: texts } = useOpsTexts()
  const { formats } = useReader()
  const [last] = audits
  return (
    <Glance title={nav.audits} path="/ops/audits">
      <Facts
        facts={[
          [health.last, last ? <Moment at={last.startedAt} short /> : health.never],
          [texts.result, last && texts.states[last.status]],
          [health.rules, last && formats.count(last.checks.length)],
          [health.findings, last && formats.count(last.checks.reduce((sum, { count }) => sum + count, 0))],
        ]}
      />
    </Glance>
  )
}
