import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useAddressQuery } from '../../dashboard/shell/filters.tsx'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Empty } from '../../parts/empty.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Table } from '../../parts/table.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'

/** What was found. A single record is opened at once. */
export const SearchPage = () => {
  const { search: texts, machines } = useOpsTexts()
  const { route } = useLocation()
  const q = useAddressQuery().get('q') ?? ''
  const result = useOpsQuery(['search', q], (call, signal) => call('searchActors', { q }, signal)).value
  const [first, second] = result.data?.data ?? []
  const only = second === undefined ? first?.id : undefined
  useEffect(() => {
    if (only !== undefined) route(`/ops/actors/${only}`, true)
  }, [only])
  return (
    <>
      <PageHead title={texts.title} lead={texts.found(q)} />
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.nothing}>{texts.nothingWhat}</Empty>
          ) : (
            <Table
              label={texts.title}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  ...{ key: 'id', head: 'ID', card: 1 },
                  cell: ({ id }) => (
                    <a class="open" href={`/ops/actors/${id}`}>
                      <code>{id}</code>
                    </a>
                  ),
                },
                { key: 'kind', head: texts.kind, card: 3, cell: ({ kind }) => machines.kinds[kind] },
                { key: 'state', head: texts.state, card: 2, cell: ({ state }) => <code>{state}</code> },
              ]}
            />
          )
        }
      </Result>
    </>
  )
}
