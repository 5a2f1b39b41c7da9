import { useRoute } from 'preact-iso'
import type { OpsAudit } from '../../api/ops-calls.ts'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Facts, Section } from '../../dashboard/shell/record.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { Table } from '../../parts/table.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { type OpsTexts, useOpsTexts } from '../shell/texts.ts'
import { AuditBadge } from './audit-badge.tsx'

type Check = OpsAudit['checks'][number]

/** One run: who started it, what it found with what to do, and every rule that it checked. */
export const AuditPage = () => {
  const { audits: texts, nav } = useOpsTexts()
  const { formats } = useReader()
  const { id = '' } = useRoute().params
  const result = useOpsQuery(['audit', id], (call, signal) => call('getAudit', { id }, signal)).value
  const title = result.data ? texts.of(formats.exact(result.data.startedAt)) : texts.one
  return (
    <>
      <PageHead title={title} back={{ href: '/ops/audits', label: nav.audits }} />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {audit => (
          <>
            <AuditFacts {...audit} />
            <Findings checks={audit.checks} />
            <Rules {...audit} />
          </>
        )}
      </Result>
    </>
  )
}

const AuditFacts = ({ status, startedAt, finishedAt, startedBy, checks }: OpsAudit) => {
  const { audits: texts, health } = useOpsTexts()
  const { formats } = useReader()
  const took = finishedAt === null ? null : formats.duration(Date.parse(finishedAt) - Date.parse(startedAt))
  return (
    <Facts
      facts={[
        [texts.result, <AuditBadge key="result" status={status} />],
        [texts.when, <Moment key="when" at={startedAt} />],
        [texts.took, took],
        [texts.startedBy, starterOf({ startedBy }, texts)],
        [health.rules, formats.count(checks.length)],
        [texts.failedWhat, status === 'failed' && health.auditFailedWhat],
      ]}
    />
  )
}

/** What started a run, and which operator. */
const starterOf = ({ startedBy: { type, id } }: Pick<OpsAudit, 'startedBy'>, texts: OpsTexts['audits']) =>
  id === null ? texts.starters[type] : `${texts.starters[type]} ${id}`

const Findings = ({ checks }: Pick<OpsAudit, 'checks'>) => {
  const { audits: texts } = useOpsTexts()
  const found = checks.filter(({ status }) => status !== 'clean')
  if (found.length === 0) return null
  return (
    <Section title={texts.checks} aside={texts.findingsWhat}>
      <ul class="asks">
        {found.map(check => (
          <Finding key={check.name} {...check} />
        ))}
      </ul>
    </Section>
  )
}

const Finding = ({ name, status, count, sample }: Check) => {
  const { audits: texts, search } = useOpsTexts()
  const { formats } = useReader()
  const tone = status === 'failed' ? 'warn' : 'bad'
  return (
    <li data-tone={tone}>
      <StateMark shape={tone} />
      <div>
        <b>{name}</b>
        <p>
          {status === 'findings' && `${texts.breaches(formats.count(count))} `}
          {sample !== null && (
            <>
              {texts.sample('')} <code>{sample}</code>{' '}
            </>
          )}
        </p>
        <p>{todoOf({ name, status }, texts)}</p>
      </div>
      {sample !== null && (
        <a class="button" href={`/ops/search?q=${encodeURIComponent(sample)}`}>
          {search.title}
          <span class="sr"> {sample}</span>
        </a>
      )}
    </li>
  )
}

/** What to do, by the invariant that the name of the check begins with. */
const todoOf = ({ name, status }: Pick<Check, 'name' | 'status'>, { notChecked, todo }: OpsTexts['audits']): string => {
  if (status === 'failed') return notChecked
  return todo[name.split(':')[0] as keyof typeof todo] ?? todo.I9
}

const Rules = ({ checks, status }: Pick<OpsAudit, 'checks' | 'status'>) => {
  const { audits: texts, health } = useOpsTexts()
  const { formats } = useReader()
  return (
    <Section title={health.rules} aside={texts.rulesWhat}>
      {checks.length === 0 ? (
        <p class="quiet">{status === 'running' ? texts.runningWhat : texts.noRules}</p>
      ) : (
        <Table
          label={health.rules}
          rows={checks}
          keyOf={({ name }) => name}
          columns={[
            { key: 'name', head: texts.rule, card: 1, cell: ({ name }) => <span class="sentence">{name}</span> },
            { key: 'result', head: texts.result, card: 2, cell: each => <AuditBadge status={each.status} /> },
            {
              ...{ key: 'count', head: texts.count, card: 7, named: true, end: true },
              cell: ({ count }) => (count === 0 ? null : formats.count(count)),
            },
          ]}
        />
      )}
    </Section>
  )
}
