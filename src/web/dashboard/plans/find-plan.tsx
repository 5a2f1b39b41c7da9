import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Plan } from '../../api/calls.ts'
import { useQuery } from '../../api/query.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { useReader } from '../../parts/reader.ts'
import { useSettled } from '../shell/settled.ts'
import { useScope, useShop } from '../shell/shop.ts'
import { priceWords } from './price.ts'
import { usePlansTexts } from './texts.ts'

type FindPlanProps = {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly placeholder?: string
  readonly error: string | undefined
  /** The one that is chosen at first. */
  readonly plan?: Plan | undefined
  /** Without it, archived ones too. */
  readonly status?: 'active'
  /** Which are offered. */
  readonly fits?: (plan: Plan) => boolean
  /** Undefined: the text has changed since. */
  readonly onPlan: (plan: Plan | undefined) => void
}

const OFFERED = 8

/** As many as fit in one response: of those that fit, some may be further down. */
const MOST = 100

/** The latest plans, or those whose name begins with a text. */
export const useFoundPlans = (q = '', status?: 'active') => {
  const { session } = useShop()
  const scope = useScope()
  return useQuery({
    queryKey: [scope.merchantId, scope.livemode, 'plans', 'search', status, q],
    queryFn: ({ signal }) =>
      session.call(
        'listPlans',
        { ...scope, limit: MOST, ...(status && { status: [status] }), ...(q !== '' && { q }) },
        { signal },
      ),
    // The old ones stay until the new ones arrive, so that nothing jumps.
    placeholderData: before => before,
    refetchOnMount: 'always',
  }).value
}

/** A plan by the beginning of its name; the latest ones without a text. */
export const FindPlan = ({ plan, status, fits = () => true, onPlan, ...field }: FindPlanProps) => {
  const texts = usePlansTexts()
  const { formats } = useReader()
  const [text, setText] = useState(plan?.name ?? '')
  const [chosen, setChosen] = useState(text)
  // The name of the one that was chosen is no search.
  const wanted = text === chosen ? '' : text.trim()
  const q = useSettled(wanted)
  const { data, isPlaceholderData } = useFoundPlans(q, status)
  const found = (data?.data ?? []).filter(fits).slice(0, OFFERED)
  return (
    <Combobox
      {...field}
      maxLength={200}
      text={text}
      isStale={q !== wanted || isPlaceholderData || data === undefined}
      onText={next => {
        setText(next)
        onPlan(undefined)
      }}
      options={found.map(each => ({ key: each.id, label: each.name, detail: priceWords(each, texts, formats) }))}
      onSelect={({ key, label }) => {
        setText(label)
        setChosen(label)
        onPlan(found.find(({ id }) => id === key))
      }}
    />
  )
}
