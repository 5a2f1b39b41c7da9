import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { NoteBox } from './note.tsx'
import { useReader } from './reader.ts'

/** Bars of the height that the rows will have, so that nothing moves when they come. */
export const SkeletonRows = ({ rows = 8 }: { readonly rows?: number }) => (
  <div class="skeleton-rows" aria-hidden="true">
    {Array.from({ length: rows }, (_, n) => (
      <div key={n}>
        <span class="skeleton" />
        <span class="skeleton" />
        <span class="skeleton" />
      </div>
    ))}
  </div>
)

const QUIET_MS = 150
const PATIENCE_MS = 10_000

type LoadingProps = { readonly skeleton: ComponentChildren; readonly onRetry: () => void }

/** Nothing for 150 ms, then the skeleton, and after 10 s a way out. */
export const Loading = ({ skeleton, onRetry }: LoadingProps) => {
  const { texts } = useReader()
  const [phase, setPhase] = useState<'quiet' | 'slow' | 'failed'>('quiet')
  useEffect(() => {
    if (phase === 'failed') return
    const timer = setTimeout(
      () => setPhase(phase === 'quiet' ? 'slow' : 'failed'),
      phase === 'quiet' ? QUIET_MS : PATIENCE_MS - QUIET_MS,
    )
    return () => clearTimeout(timer)
  }, [phase])
  if (phase === 'failed') {
    const retry = () => {
      setPhase('quiet')
      onRetry()
    }
    return (
      <NoteBox
        title={texts.loadingFailed}
        tone="bad"
        alert
        actions={
          <button type="button" class="button" onClick={retry}>
            {texts.tryAgain}
          </button>
        }
      >
        {texts.loadingFailedWhat}
      </NoteBox>
    )
  }
  return (
    <div class="loading" data-phase={phase}>
      {/* It takes its place from the beginning and is only not seen. */}
      {skeleton}
      <span class="sr" role="status">
        {phase === 'slow' && texts.loading}
      </span>
    </div>
  )
}
