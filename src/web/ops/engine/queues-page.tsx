import type { OpsQueue } from '../../api/ops-calls.ts'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table } from '../../parts/table.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'

export const QueuesPage = () => {
  const { queues: texts, nav } = useOpsTexts()
  const { formats } = useReader()
  const result = useOpsQuery(['queues'], (call, signal) => call('listQueues', {}, signal)).value
  const number = (key: 'ready' | 'delayed' | 'failed', card: 3 | 4 | 5) => ({
    ...{ key, head: texts[key], card, named: true, end: true },
    cell: (queue: OpsQueue) => formats.count(queue[key]),
  })
  return (
    <>
      <PageHead title={nav.queues} lead={texts.lead} />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {({ data }) => (
          <Table
            label={nav.queues}
            rows={data}
            keyOf={({ task }) => task}
            columns={[
              { key: 'task', head: texts.task, card: 1, cell: ({ task }) => <code>{task}</code> },
              number('ready', 3),
              number('delayed', 4),
              number('failed', 5),
              {
                ...{ key: 'oldest', head: texts.oldest, card: 7, named: true, end: true },
                cell: ({ oldestAgeMs }) => (oldestAgeMs === 0 ? null : formats.duration(oldestAgeMs)),
              },
            ]}
          />
        )}
      </Result>
    </>
  )
}
