import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { ActorsTable } from './actors-table.tsx'

export const StuckPage = () => {
  const { stuck: texts, nav } = useOpsTexts()
  const result = useOpsQuery(['stuck'], (call, signal) => call('listStuckActors', {}, signal)).value
  return (
    <>
      <PageHead title={nav.stuck} lead={texts.lead} />
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.none}>{texts.noneWhat}</Empty>
          ) : (
            <ActorsTable
              label={nav.stuck}
              rows={data}
              more={[
                { key: 'reason', head: texts.reason, card: 5, cell: ({ reason }) => texts.reasons[reason] },
                {
                  ...{ key: 'since', head: texts.since, card: 7, named: true, end: true },
                  cell: ({ since }) => <Moment at={since} short />,
                },
              ]}
            />
          )
        }
      </Result>
    </>
  )
}
