import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Session } from '../../api/session.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Loading, SkeletonRows } from '../../parts/skeleton.tsx'
import { shownFailure } from '../shell/failure.ts'
import type { Preferences } from '../shell/preferences.ts'
import { useTexts } from '../shell/texts.ts'

export type SessionProps = { readonly session: Session; readonly preferences: Preferences }

/** Finds out whether this browser has a session. */
export const Starting = ({ session, preferences }: SessionProps) => {
  const texts = useTexts()
  const error = useSignal<unknown>()
  const start = () => {
    error.value = undefined
    session.start(preferences.hadSession()).catch(fault => {
      error.value = fault
    })
  }
  useEffect(start, [])
  return (
    <main class="starting">
      <h1 class="sr">{texts.start.title}</h1>
      {error.value === undefined ? (
        <Loading skeleton={<SkeletonRows rows={6} />} onRetry={start} />
      ) : (
        <ErrorNote failure={shownFailure(error.value)} onRetry={start}>
          {texts.start.failed}
        </ErrorNote>
      )}
    </main>
  )
}
