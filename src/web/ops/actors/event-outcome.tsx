import type { ActorPreview } from '../../api/ops-calls.ts'
import { ApiError } from '../../api/request.ts'
import { shownFailure } from '../../dashboard/shell/failure.ts'
import { Facts } from '../../dashboard/shell/record.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useOpsTexts } from '../shell/texts.ts'

type OutcomeProps = { readonly from: string; readonly preview: ActorPreview }

/** What an event does: the state after it, and what is published, timed and queued. */
export const EventOutcome = ({ from, preview: { state, events, timers, jobs } }: OutcomeProps) => {
  const { actor: texts } = useOpsTexts()
  return (
    <Facts
      facts={[
        [texts.state, <code>{from === state ? texts.stays(state) : `${from} → ${state}`}</code>],
        [texts.publishes, events.length === 0 ? texts.none : events.map(each => <code key={each}>{each} </code>)],
        [
          texts.timers,
          timers.length === 0
            ? texts.none
            : timers.map(({ name, dueAt }) => (
                <div key={name}>
                  <code>{name}</code> {dueAt === null ? texts.timerCanceled : <Moment at={dueAt} />}
                </div>
              )),
        ],
        [
          texts.jobs,
          jobs.length === 0
            ? texts.none
            : jobs.map(({ task, runAt }, n) => (
                <div key={n}>
                  <code>{task}</code> {runAt === null ? texts.now : <Moment at={runAt} />}
                </div>
              )),
        ],
      ]}
    />
  )
}

/** Why it was refused, and what is possible instead. */
export const EventRefusal = ({ error }: { readonly error: unknown }) => {
  const { actor: texts } = useOpsTexts()
  if (!(error instanceof ApiError)) return <ErrorNote failure={shownFailure(error)} />
  const { code, param, details } = error
  const possible = Array.isArray(details.possible)
    ? details.possible.map(each => `${each}`.replace(/^xstate\./, ''))
    : []
  return (
    <ErrorNote failure={shownFailure(error)}>
      {code === 'state_conflict' && (
        <>
          {texts.refused} {possible.length > 0 && texts.possibleNow(possible.join(', '))}
        </>
      )}
      {code === 'parameter_invalid' && (param === 'payload' ? texts.payloadInvalid : texts.typeInvalid)}
    </ErrorNote>
  )
}
