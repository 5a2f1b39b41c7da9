import type { Actor } from '../../api/ops-calls.ts'
import { Section } from '../../dashboard/shell/record.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { useOpsTexts } from '../shell/texts.ts'
import { SendEvent } from './send-event.tsx'

/** Why it waits: the events that its state takes, by who sends them, each with its guards. */
export const PossibleEvents = ({ actor }: { readonly actor: Actor }) => {
  const { possible } = actor
  const { actor: texts } = useOpsTexts()
  return (
    <Section title={texts.possible} aside={texts.possibleWhat}>
      {possible.length === 0 && <p class="quiet">{texts.noPossible}</p>}
      {[...Map.groupBy(possible, ({ by }) => by)].map(([by, events]) => (
        <div key={by} class="possible">
          <h3>{texts.by[by]}</h3>
          <ul>
            {events.map(({ event, guards, operator }) => (
              <li key={event}>
                <div>
                  <code>{event}</code>
                  {operator && <SendEvent actor={actor} type={event} />}
                </div>
                <ul>
                  {guards.length === 0 && <li>{texts.noGuard}</li>}
                  {guards.map(({ name, holds }) => (
                    <li key={name} data-tone={holds === null ? 'quiet' : holds ? 'good' : 'bad'}>
                      <StateMark shape={holds === null ? 'next' : holds ? 'done' : 'bad'} />
                      <code>{name}</code> {holds === null ? texts.depends : holds ? texts.holds : texts.fails}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Section>
  )
}
