import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table } from '../../parts/table.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'

export const WorkersPage = () => {
  const { workers: texts, nav } = useOpsTexts()
  const result = useOpsQuery(['workers'], (call, signal) => call('listWorkers', {}, signal)).value
  return (
    <>
      <PageHead title={nav.workers} lead={texts.lead} />
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.none}>{texts.noneWhat}</Empty>
          ) : (
            <Table
              label={nav.workers}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { key: 'id', head: texts.id, card: 1, cell: ({ id }) => <code>{id}</code> },
                { key: 'role', head: texts.role, card: 3, cell: ({ role }) => role },
                { key: 'version', head: texts.version, card: 4, named: true, cell: ({ version }) => version },
                {
                  ...{ key: 'started', head: texts.started, card: 5, named: true },
                  cell: ({ startedAt }) => <Moment at={startedAt} short />,
                },
                {
                  ...{ key: 'seen', head: texts.seen, card: 7, named: true, end: true },
                  cell: ({ heartbeatAt }) => <Moment at={heartbeatAt} />,
                },
              ]}
            />
          )
        }
      </Result>
    </>
  )
}
