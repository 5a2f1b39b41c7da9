import { useState } from 'preact/hooks'
import type { Transition } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark, type StateShape } from '../../parts/state-mark.tsx'
import { timelineDe } from '../../text/dashboard/timeline/de.ts'
import { timelineEn } from '../../text/dashboard/timeline/en.ts'
import type { Translated } from '../../text/locale.ts'
import { useShopQuery } from './queries.ts'
import { Section } from './record.tsx'
import { Result } from './result.tsx'
import { sectionTexts } from './texts.ts'

type TimelineProps = {
  readonly section: string
  readonly id: string
  readonly call: 'listPaymentHistory' | 'listRefundHistory' | 'listDisputeHistory' | 'listInvoiceHistory'
  /** The name of the first transition. */
  readonly opened: string
  /** The names of the others by their event. A newer server may have more: then the name in the API is shown. */
  readonly events: Readonly<Record<string, string>>
  /** The mark of a transition that is more than a step on the main path. */
  readonly shapeOf: (transition: Transition) => StateShape | undefined
}

type TimelineTexts = Translated<typeof timelineEn>

const useTimelineTexts = sectionTexts<TimelineTexts>({ en: timelineEn, de: timelineDe })

const LIMIT = 100

/** Every transition of a record, newest first, with who or what caused it. */
export const Timeline = ({ section, id, call, opened, events, shapeOf }: TimelineProps) => {
  const texts = useTimelineTexts()
  const { formats } = useReader()
  // The last entry of each newer page.
  const [pages, setPages] = useState<{ readonly of: string; readonly newer: readonly string[] }>({ of: id, newer: [] })
  const newer = pages.of === id ? pages.newer : []
  const setNewer = (cursors: readonly string[]) => setPages({ of: id, newer: cursors })
  const startingAfter = newer.at(-1)
  const result = useShopQuery([section, 'one', id, 'history', startingAfter], ({ merchantId, call: send }, signal) =>
    send(
      call,
      { merchantId, id, limit: LIMIT, order: 'desc', ...(startingAfter !== undefined && { startingAfter }) },
      { signal },
    ),
  ).value
  return (
    <Section title={texts.title} aside={texts.order}>
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
                      <b>{each.from === null ? opened : (events[each.event] ?? each.event)}</b>
                      <p>{causeOf(each, texts)}</p>
                    </div>
                    <time datetime={each.at}>{formats.exact(each.at)}</time>
                  </li>
                )
              })}
            </ol>
            <HistoryPages
              texts={texts}
              onNewer={newer.length > 0 ? () => setNewer(newer.slice(0, -1)) : undefined}
              onOlder={has_more ? () => setNewer([...newer, data.at(-1)?.id ?? '']) : undefined}
            />
          </>
        )}
      </Result>
    </Section>
  )
}

type HistoryPagesProps = {
  readonly texts: TimelineTexts
  /** Undefined: there are none. */
  readonly onNewer: (() => void) | undefined
  readonly onOlder: (() => void) | undefined
}

/** Of a long history, the entries before and after those that are shown. */
const HistoryPages = ({ texts, onNewer, onOlder }: HistoryPagesProps) =>
  (onNewer ?? onOlder) && (
    <p class="buttons">
      {onNewer && (
        <button type="button" class="button button--small" onClick={onNewer}>
          {texts.newer}
        </button>
      )}
      {onOlder && (
        <button type="button" class="button button--small" onClick={onOlder}>
          {texts.older}
        </button>
      )}
    </p>
  )

const tones: Partial<Record<StateShape, 'good' | 'warn' | 'bad'>> = { done: 'good', warn: 'warn', bad: 'bad' }

const causeOf = ({ cause: { type, name, id } }: Transition, { causes }: TimelineTexts): string => {
  const phrase = causes[type]
  return typeof phrase === 'string' ? phrase : phrase(name ?? id ?? '')
}
