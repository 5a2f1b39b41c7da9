import type { Transition } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark, type StateShape } from '../../parts/state-mark.tsx'
import { useShopQuery } from './queries.ts'
import { Section } from './record.tsx'
import { Result } from './result.tsx'

type TimelineTexts = {
  readonly history: string
  readonly historyOrder: string
  readonly historyOlder: string
  /** What the first transition is called. */
  readonly opened: string
  readonly events: Readonly<Record<string, string>>
  readonly causes: Readonly<Record<Transition['cause']['type'], string | ((name: string) => string)>>
}

type TimelineProps = {
  readonly section: string
  readonly id: string
  readonly call: 'listRefundHistory' | 'listDisputeHistory'
  readonly texts: TimelineTexts
  /** The mark of a transition that is more than a step on the main path. */
  readonly shapeOf: (transition: Transition) => StateShape | undefined
}

const LIMIT = 100

/** Every transition of a record, newest first, with who or what caused it. */
export const Timeline = ({ section, id, call, texts, shapeOf }: TimelineProps) => {
  const { formats } = useReader()
  const result = useShopQuery([section, 'one', id, 'history'], ({ merchantId, call: send }, signal) =>
    send(call, { merchantId, id, limit: LIMIT, order: 'desc' }, { signal }),
  ).value
  return (
    <Section title={texts.history} aside={texts.historyOrder}>
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {({ data, has_more }) => (
          <>
            <ol class="timeline">
              {data.map(each => {
                const shape = shapeOf(each) ?? 'passed'
                return (
                  <li key={each.id} data-tone={tones[shape]}>
                    <StateMark shape={shape} />
                    <div>
                      <b>{each.from === null ? texts.opened : (texts.events[each.event] ?? each.event)}</b>
                      <p>{causeOf(each, texts)}</p>
                    </div>
                    <time datetime={each.at}>{formats.exact(each.at)}</time>
                  </li>
                )
              })}
            </ol>
            {has_more && <p class="quiet">{texts.historyOlder}</p>}
          </>
        )}
      </Result>
    </Section>
  )
}

const tones: Partial<Record<StateShape, 'good' | 'warn' | 'bad'>> = { done: 'good', warn: 'warn', bad: 'bad' }

const causeOf = ({ cause: { type, name, id } }: Transition, { causes }: TimelineTexts): string => {
  const phrase = causes[type]
  return typeof phrase === 'string' ? phrase : phrase(name ?? id ?? '')
}
