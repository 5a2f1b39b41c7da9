import type { Dispute } from '../../api/calls.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { showToast } from '../../parts/toast.tsx'
import { useAction } from '../shell/action.ts'
import { shownFailure } from '../shell/failure.ts'
import { useRefresh } from '../shell/queries.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { useDisputeTexts } from './texts.ts'

/** In test mode a member decides how the dispute ends. There are no other disputes. */
export const Outcomes = ({ dispute: { id, status } }: { readonly dispute: Dispute }) => {
  const texts = useDisputeTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const refresh = useRefresh()
  const action = useAction()
  if (status !== 'needs_response' && status !== 'under_review') return null
  const run = (work: () => Promise<unknown>, done: string) =>
    action.run(async () => {
      try {
        await work()
        showToast(done)
      } finally {
        await refresh('disputes')
      }
    })
  const submit = (uncategorizedText: string) =>
    run(() => session.call('giveEvidence', { merchantId, id, uncategorizedText, submit: true }), texts.submitted)
  const resolve = (outcome: 'won' | 'lost') =>
    run(() => session.call('resolveDispute', { merchantId, id, outcome }), texts.decided)
  const choices =
    status === 'needs_response'
      ? ([
          [texts.winning, () => submit('winning_evidence')],
          [texts.losing, () => submit('losing_evidence')],
        ] as const)
      : ([
          [texts.win, () => resolve('won')],
          [texts.lose, () => resolve('lost')],
        ] as const)
  return (
    <>
      <NoteBox
        title={texts.sandboxTitle}
        tone="test"
        actions={choices.map(([label, act]) => (
          <button key={label} type="button" class="button" aria-disabled={action.isRunning} onClick={act}>
            {label}
          </button>
        ))}
      >
        {status === 'needs_response' ? texts.sandboxWhat : texts.sandboxReviewWhat}
      </NoteBox>
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
    </>
  )
}
