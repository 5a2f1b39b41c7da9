import { useContext } from 'preact/hooks'
import type { OpsAudit } from '../../api/ops-calls.ts'
import { CacheContext } from '../../api/query.ts'
import { useAction } from '../../dashboard/shell/action.ts'
import { shownFailure } from '../../dashboard/shell/failure.ts'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { PageLinks, readListPage, usePosition } from '../../dashboard/shell/pages.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table } from '../../parts/table.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useOpsCall, useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { AuditBadge } from './audit-badge.tsx'

export const AuditsPage = () => {
  const { audits: texts, nav } = useOpsTexts()
  const position = usePosition()
  const result = useOpsQuery(['audits', position], (call, signal) =>
    readListPage<OpsAudit>(position, page => call('listAudits', page, signal)),
  ).value
  return (
    <>
      <PageHead title={nav.audits} lead={texts.lead} actions={<RunButton />} />
      <Result result={result} skeleton={<SkeletonRows rows={6} />}>
        {page =>
          page.rows.length === 0 ? (
            <Empty title={texts.none}>{texts.noneWhat}</Empty>
          ) : (
            <>
              <AuditsTable rows={page.rows} />
              <PageLinks {...page} />
            </>
          )
        }
      </Result>
    </>
  )
}

const RunButton = () => {
  const { audits: texts } = useOpsTexts()
  const call = useOpsCall()
  const cache = useContext(CacheContext)
  const action = useAction()
  const run = () =>
    action.run(async () => {
      await call('startAudit', {})
      showToast(texts.started)
      await cache.invalidateQueries({ queryKey: ['ops', 'audits'] })
    })
  return (
    <>
      <button type="button" class="button" aria-disabled={action.isRunning} onClick={run}>
        {texts.run}
      </button>
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
    </>
  )
}

const AuditsTable = ({ rows }: { readonly rows: readonly OpsAudit[] }) => {
  const { audits: texts, nav } = useOpsTexts()
  const { formats } = useReader()
  return (
    <Table
      label={nav.audits}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          ...{ key: 'when', head: texts.when, card: 1 },
          cell: ({ id, startedAt }) => (
            <a class="open" href={`/ops/audits/${id}`}>
              <Moment at={startedAt} short />
            </a>
          ),
        },
        {
          ...{ key: 'result', head: texts.result, card: 2 },
          cell: ({ status }) => <AuditBadge status={status} />,
        },
        {
          ...{ key: 'took', head: texts.took, card: 3, named: true },
          cell: ({ startedAt, finishedAt }) =>
            finishedAt === null ? null : formats.duration(Date.parse(finishedAt) - Date.parse(startedAt)),
        },
        {
          ...{ key: 'by', head: texts.startedBy, card: 5, named: true },
          cell: ({ startedBy: { type } }) => texts.starters[type],
        },
        {
          ...{ key: 'checks', head: texts.checks, card: 7 },
          cell: ({ checks }) => {
            const found = checks.filter(({ status }) => status !== 'clean')
            return found.length === 0 ? null : <Findings checks={found} />
          },
        },
      ]}
    />
  )
}

const Findings = ({ checks }: Pick<OpsAudit, 'checks'>) => {
  const { audits: texts } = useOpsTexts()
  const { formats } = useReader()
  return (
    <ul>
      {checks.map(({ name, count, sample }) => (
        <li key={name}>
          <code>{name}</code> {formats.count(count)}
          {sample !== null && <span class="table__under">{texts.sample(sample)}</span>}
        </li>
      ))}
    </ul>
  )
}
