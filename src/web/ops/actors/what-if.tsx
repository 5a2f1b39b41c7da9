import { useState } from 'preact/hooks'
import type { Actor, ActorPreview } from '../../api/ops-calls.ts'
import { useAction } from '../../dashboard/shell/action.ts'
import { Section } from '../../dashboard/shell/record.tsx'
import { FormField } from '../../parts/field.tsx'
import { useOpsCall } from '../shell/ops.ts'
import { useOpsTexts } from '../shell/texts.ts'
import { ChangesTable } from './changes-table.tsx'
import { EventOutcome, EventRefusal } from './event-outcome.tsx'
import { changesOf } from './story.ts'

type Payload = Readonly<Record<string, unknown>>
type Asked = { readonly type: string; readonly preview: ActorPreview }

/** What an event would do. Nothing is written. */
export const WhatIf = ({ actor }: { readonly actor: Actor }) => {
  const { actor: texts } = useOpsTexts()
  const call = useOpsCall()
  const action = useAction()
  const events = [...new Set(actor.possible.map(({ event }) => event))].filter(event => !event.startsWith('after.'))
  const [type = events[0] ?? '', setType] = useState<string>()
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  if (events.length === 0) return null
  const ask = (event: SubmitEvent) => {
    event.preventDefault()
    const payload = parsed(text)
    setWrong(payload === undefined)
    setAsked(undefined)
    if (payload === undefined) return action.reset()
    return action.run(async () =>
      setAsked({ type, preview: await call('previewEvent', { id: actor.id, type, payload }) }),
    )
  }
  return (
    <Section title={texts.whatIf} aside={texts.whatIfWhat}>
      <form class="form what-if" onSubmit={ask} noValidate>
        <FormField label={texts.event}>
          {props => (
            <select class="input" value={type} onChange={event => setType(event.currentTarget.value)} {...props}>
              {events.map(each => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </FormField>
        <FormField
          label={texts.payload}
          optional
          hint={texts.payloadWhat}
          error={isWrong ? texts.payloadSyntax : undefined}
        >
          {props => (
            <textarea
              class="input"
              rows={3}
              spellcheck={false}
              value={text}
              onInput={event => setText(event.currentTarget.value)}
              {...props}
            />
          )}
        </FormField>
        <p class="buttons">
          <button type="submit" class="button" aria-disabled={action.isRunning}>
            {texts.preview}
          </button>
          <span class="quiet">{texts.nothingWritten}</span>
        </p>
      </form>
      {action.error !== undefined && <EventRefusal error={action.error} />}
      {asked && <Answer actor={actor} asked={asked} />}
    </Section>
  )
}

const Answer = ({ actor, asked: { type, preview } }: { readonly actor: Actor; readonly asked: Asked }) => {
  const { actor: texts } = useOpsTexts()
  const title = texts.wouldDo(type)
  return (
    <section class="what-if__answer" aria-label={title} aria-live="polite">
      <h3 class="actor__sub">{title}</h3>
      <EventOutcome from={actor.state} preview={preview} />
      <ChangesTable
        label={title}
        changes={changesOf(
          { to: preview.state, context: preview.context },
          { to: actor.state, context: actor.context },
        )}
      />
    </section>
  )
}

/** Undefined if it is no JSON object. */
const parsed = (text: string): Payload | undefined => {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : undefined
  } catch {
    return undefined
  }
}
