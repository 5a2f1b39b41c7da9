import type { ComponentChildren } from 'preact'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Facts, Section } from '../../dashboard/shell/record.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { type Failure, failuresIn, type HealthReading, isRunning } from './failures.ts'

/** What does not work, and what to do; then everything at a glance. */
export const HealthPage = () => {
  const texts = useOpsTexts()
  const { formats } = useReader()
  const result = useOpsQuery(['health'], async (call, signal): Promise<HealthReading> => {
    const [chains, queues, workers, audits] = await Promise.all([
      call('listChains', {}, signal),
      call('listQueues', {}, signal),
      call('listWorkers', {}, signal),
      call('listAudits', { limit: 5, order: 'desc' }, signal),
    ])
    const at = new Date()
    return { chains: chains.data, queues: queues.data, workers: workers.data, audits: audits.data, at }
  }).value
  return (
    <>
      <PageHead title={texts.nav.health} lead={texts.health.lead} />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {reading => (
          <>
            <Failures failures={failuresIn(reading, texts, formats)} />
            <Section title={texts.health.everything}>
              <div class="glance">
                <ChainsGlance {...reading} />
                <QueuesGlance {...reading} />
                <WorkersGlance {...reading} />
                <AuditGlance {...reading} />
              </div>
            </Section>
          </>
        )}
      </Result>
    </>
  )
}

const Failures = ({ failures }: { readonly failures: readonly Failure[] }) => {
  const { health } = useOpsTexts()
  return (
    <ul class="asks">
      {failures.length === 0 && (
        <li data-tone="good">
          <StateMark shape="done" />
          <div>
            <b>{health.fine}</b>
            <p>{health.fineWhat}</p>
          </div>
        </li>
      )}
      {failures.map(({ tone, title, what, path }) => (
        <li key={title} data-tone={tone}>
          <StateMark shape={tone} />
          <div>
            <b>{title}</b>
            <p>{what}</p>
          </div>
          <a class="button" href={path}>
            {health.open}
            <span class="sr"> {title}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

type GlanceProps = { readonly title: string; readonly path: string; readonly children: ComponentChildren }

const Glance = ({ title, path, children }: GlanceProps) => (
  <div>
    <h3>
      <a href={path}>{title}</a>
    </h3>
    {children}
  </div>
)

const ChainsGlance = ({ chains }: HealthReading) => {
  const { health, nav, chains: texts } = useOpsTexts()
  const { formats } = useReader()
  return (
    <Glance title={nav.chains} path="/ops/chains">
      <Facts
        facts={chains.map(({ name, lagBlocks }) => [
          name,
          lagBlocks === null ? health.unknown : health.chains(formats.count(lagBlocks)),
        ])}
      />
      {chains.length === 0 && <p class="quiet">{texts.none}</p>}
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
