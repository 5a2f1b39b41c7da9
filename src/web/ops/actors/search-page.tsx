import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useAddressQuery } from '../../dashboard/shell/filters.tsx'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Result } from '../../dashboard/shell/result.tsx'
import { Empty } from '../../parts/empty.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useOpsQuery } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { ActorsTable } from './actors-table.tsx'

/** What was found. A single record is opened at once. */
export const SearchPage = () => {
  const { search: texts } = useOpsTexts()
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
            <ActorsTable label={texts.title} rows={data} />
          )
        }
      </Result>
    </>
  )
}
