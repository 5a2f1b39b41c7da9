import type { PaymentWithCrypto, Transition } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateMark, type StateShape } from '../../parts/state-mark.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { type PaymentTexts, usePaymentTexts } from './texts.ts'

const LIMIT = 100

/** Every transition of a payment, newest first, with who or what caused it. */
export const History = ({ payment: { id } }: { readonly payment: PaymentWithCrypto }) => {
  const { history: texts } = usePaymentTexts()
  const { formats } = useReader()
  const result = useShopQuery(['payments', 'one', id, 'history'], ({ merchantId, call }, signal) =>
    call('listPaymentHistory', { merchantId, id, limit: LIMIT, order: 'desc' }, { signal }),
  ).value
  return (
    <Section title={texts.title} aside={texts.order}>
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {({ data, has_more }) => (
          <>
            <ol class="timeline">
              {data.map(each => (
                <li key={each.id} data-tone={toneOf(each)}>
                  <StateMark shape={shapeOf(each)} />
                  <div>
                    <b>{nameOf(each, texts)}</b>
                    <p>{causeOf(each, texts)}</p>
                  </div>
                  <time datetime={each.at}>{formats.exact(each.at)}</time>
                </li>
              ))}
            </ol>
            {has_more && <p class="quiet">{texts.older}</p>}
          </>
        )}
      </Result>
    </Section>
  )
}

type Texts = PaymentTexts['history']

/** A newer server may have events that this page does not know: then its name in the API is shown. */
const nameOf = ({ from, event }: Transition, { opened, events }: Texts): string => {
  if (from === null) return opened
  const known: Readonly<Record<string, string>> = events
  return known[event] ?? event
}

const causeOf = ({ cause: { type, name, id } }: Transition, { causes }: Texts): string => {
  const phrase = causes[type]
  return typeof phrase === 'string' ? phrase : phrase(name ?? id ?? '')
}

const warnings = ['too_little_seen', 'late_finalized', 'stray_seen', 'price_missed', 'reorganized', 'less_seen']

const shapeOf = ({ from, to, event }: Transition): StateShape => {
  if (warnings.includes(event) || event === 'collection_unexplained') return 'warn'
  if (from === to) return 'passed'
  const ends: Readonly<Record<string, StateShape>> = {
    success: 'done',
    failed: 'bad',
    expired: 'over',
    canceled: 'off',
  }
  return ends[to] ?? 'passed'
}

const toneOf = (transition: Transition): 'good' | 'warn' | 'bad' | undefined => {
  const tones: Partial<Record<StateShape, 'good' | 'warn' | 'bad'>> = { done: 'good', warn: 'warn', bad: 'bad' }
  return tones[shapeOf(transition)]
}
