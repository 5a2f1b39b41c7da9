import { useEffect, useMemo } from 'preact/hooks'
import { ApiError } from '../../api/request.ts'
import { shownFailure } from '../../dashboard/shell/failure.ts'
import { useAddressQuery } from '../../dashboard/shell/filters.tsx'
import { PageHead } from '../../dashboard/shell/page-head.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { useShortcut } from '../../parts/shortcut.ts'
import { Loading, SkeletonRows } from '../../parts/skeleton.tsx'
import { useOps, useOpsCall } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { MOST_ROWS, openTail, type Tail, type TailFilter } from './tail.ts'
import { TailFilters, useTailFilter } from './tail-filters.tsx'
import { TailTable } from './tail-table.tsx'

const LATEST = 100

/** Every transition as it is committed. The filters are in the address, and each begins a stream of its own. */
export const TailPage = () => {
  const filter = useTailFilter()
  const { nav, tail: texts } = useOpsTexts()
  const tail = useTail(filter)
  return (
    <>
      <PageHead title={nav.tail} lead={texts.lead} actions={<Controls tail={tail} />} />
      <TailFilters filter={filter} />
      <Status tail={tail} />
      <Content tail={tail} isFiltered={Object.keys(filter).length > 0} />
    </>
  )
}

const useTail = (filter: TailFilter): Tail => {
  const { session } = useOps()
  const call = useOpsCall()
  const readLatest = async () => (await call('listTransitions', { ...filter, limit: LATEST, order: 'desc' })).data
  // The page stays, with the focus on the filter that was changed.
  const tail = useMemo(() => openTail({ session, filter, readLatest }), [JSON.stringify(filter)])
  useEffect(() => tail.close, [tail])
  const failure = tail.failure.value
  useEffect(() => {
    // The account says whether it is still that of an operator.
    if (failure instanceof ApiError && failure.code === 'insufficient_role') session.reload().catch(() => {})
  }, [failure])
  return tail
}

type TailProps = { readonly tail: Tail }

const Controls = ({ tail }: TailProps) => {
  const { tail: texts } = useOpsTexts()
  const { formats } = useReader()
  const isPaused = tail.isPaused.value
  const toggle = () => (tail.isPaused.value ? tail.resume() : tail.pause())
  useShortcut('p', toggle)
  return (
    <>
      <Rate tail={tail} />
      {isPaused && <span class="tail__waiting">{texts.waiting(formats.count(tail.waiting.value))}</span>}
      <button type="button" class="button" aria-keyshortcuts="p" onClick={toggle}>
        <Icon name={isPaused ? 'play' : 'pause'} />
        {isPaused ? texts.resume : texts.pause}
        <span class="key" aria-hidden="true">
          P
        </span>
      </button>
    </>
  )
}

/** Seconds that the shown rate is the mean of. */
const MEAN_OF = 5

const Rate = ({ tail }: TailProps) => {
  const { tail: texts } = useOpsTexts()
  const { formats } = useReader()
  const seconds = tail.seconds.value
  const mean = seconds.slice(-MEAN_OF).reduce((sum, count) => sum + count, 0) / MEAN_OF
  const most = Math.max(1, ...seconds)
  return (
    <span class="tail__rate">
      <svg viewBox="0 0 120 24" preserveAspectRatio="none" role="img" aria-label={texts.rateChart}>
        <path d={seconds.map((count, n) => `M${2 * n + 0.5} 24v-${Math.max(0.5, (24 * count) / most)}`).join('')} />
      </svg>
      <span>{texts.rate(formats.count(mean < 10 ? Math.round(mean * 10) / 10 : Math.round(mean)))}</span>
    </span>
  )
}

/** The only part that screen readers announce: they could not follow the rows. */
const Status = ({ tail }: TailProps) => {
  const { tail: texts } = useOpsTexts()
  const { formats } = useReader()
  const state = tail.connection.value
  return (
    <p class="tail__status" role="status" data-tone={state.phase === 'offline' ? 'warn' : 'quiet'}>
      {state.phase === 'offline'
        ? texts.reconnecting(formats.time(state.since))
        : tail.isPaused.value
          ? texts.paused
          : state.phase === 'live' && texts.live}
    </p>
  )
}

const Content = ({ tail, isFiltered }: TailProps & { readonly isFiltered: boolean }) => {
  const { tail: texts } = useOpsTexts()
  const rows = tail.rows.value
  const failure = tail.failure.value
  if (failure !== undefined) return <ErrorNote failure={shownFailure(failure)} onRetry={tail.retry} />
  if (rows === undefined) return <Loading skeleton={<SkeletonRows rows={12} />} onRetry={tail.retry} />
  if (rows.length > 0)
    return (
      <>
        <TailTable rows={rows} onFocus={tail.pause} />
        <Kept tail={tail} />
      </>
    )
  if (!isFiltered) return <Empty title={texts.none}>{texts.noneWhat}</Empty>
  return (
    <Empty title={texts.noMatch} action={<ClearFilters />}>
      {texts.noMatchWhat}
    </Empty>
  )
}

const ClearFilters = () => {
  const { tail: texts } = useOpsTexts()
  const { addressWith } = useAddressQuery()
  const none = { kind: undefined, event: undefined, state: undefined, actor: undefined, merchant: undefined }
  return (
    <a class="button" href={addressWith(none)}>
      {texts.clear}
    </a>
  )
}

const Kept = ({ tail }: TailProps) => {
  const { tail: texts } = useOpsTexts()
  const { formats } = useReader()
  const received = tail.received.value
  return (
    <p class="tail__kept quiet" data-received={received}>
      {texts.kept(formats.count(MOST_ROWS), formats.count(received), formats.time(tail.openedAt))}
    </p>
  )
}
