import { useEffect } from 'preact/hooks'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Section } from '../../dashboard/shell/record.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { FailureList } from './failure-list.tsx'
import { failuresIn, type HealthReading } from './failures.ts'
import { Glances } from './glances.tsx'
import { EndpointTable, SignerTable } from './health-tables.tsx'

/** What does not work, and what to do; then everything at a glance. */
export const HealthPage = () => {
  const texts = useOpsTexts()
  const { formats, now } = useReader()
  const result = useOpsQuery(['health'], async (call, signal): Promise<HealthReading> => {
    const [chains, queues, workers, endpoints, signers, databases, stuck, audits] = await Promise.all([
      call('listChains', {}, signal),
      call('listQueues', {}, signal),
      call('listWorkers', {}, signal),
      call('listWaitingEndpoints', {}, signal),
      call('listSigners', {}, signal),
      call('listDatabases', {}, signal),
      call('listStuckActors', {}, signal),
      call('listAudits', { limit: 5, order: 'desc' }, signal),
    ])
    return {
      ...{ chains: chains.data, queues: queues.data, workers: workers.data, endpoints: endpoints.data },
      ...{ signers: signers.data, database: databases.data[0], audits: audits.data },
      stuck: { actors: stuck.data, hasMore: stuck.has_more },
      at: new Date(),
    }
  }).value
  useShownPart(result.data !== undefined)
  return (
    <>
      <PageHead title={texts.nav.health} lead={texts.health.lead} />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {reading => (
          <>
            <Failures reading={reading} words={{ texts, formats, now: now.value }} />
            <Section title={texts.health.everything}>
              <Glances {...reading} />
            </Section>
            <SignerTable signers={reading.signers} />
            <EndpointTable endpoints={reading.endpoints} />
          </>
        )}
      </Result>
    </>
  )
}

/** The part that the address names is not there yet when the browser looks for it. */
const useShownPart = (isDrawn: boolean): void =>
  useEffect(() => {
    if (isDrawn) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [isDrawn])

type FailuresProps = { readonly reading: HealthReading; readonly words: Parameters<typeof failuresIn>[1] }

const Failures = ({ reading, words }: FailuresProps) => {
  const { health } = words.texts
  const failures = failuresIn(reading, words)
  if (failures.length > 0) return <FailureList failures={failures} />
  return (
    <ul class="asks">
      <li data-tone="good">
        <StateMark shape="done" />
        <div>
          <b>{health.fine}</b>
          <p>{health.fineWhat}</p>
        </div>
      </li>
    </ul>
  )
}
