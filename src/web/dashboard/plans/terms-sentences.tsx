import type { Plan } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { networkNameOf } from '../shell/chains.ts'
import { priceWords, type RepeatedPrice } from './price.ts'
import { usePlansTexts } from './texts.ts'

export type ShownTerms = RepeatedPrice &
  Pick<Plan, 'trialDays' | 'leadDays' | 'graceDays' | 'maxPeriods' | 'activation' | 'afterGrace' | 'assets'>

/** What is agreed, in sentences: the price, when it begins, when invoices come, and what happens if one is not paid. */
type TermsSentencesProps = {
  readonly terms: ShownTerms
  /** How it begins is said elsewhere. */
  readonly hasBegun?: boolean
}

export const TermsSentences = ({ terms, hasBegun = false }: TermsSentencesProps) => {
  const texts = usePlansTexts()
  const { sentences } = texts
  const { formats } = useReader()
  const { amountMinor, trialDays, leadDays, graceDays, maxPeriods, activation, afterGrace, assets } = terms
  return (
    <ul class="terms">
      <li>{amountMinor > 0 ? sentences.pays(priceWords(terms, texts, formats)) : sentences.free}</li>
      {!hasBegun && <li>{trialDays > 0 ? sentences.trial(trialDays) : sentences[activation]}</li>}
      {amountMinor > 0 && (
        <>
          <li>{sentences.lead(leadDays)}</li>
          <li>{sentences.grace[afterGrace](graceDays)}</li>
        </>
      )}
      <li>{maxPeriods === null ? sentences.endless : sentences.periods(maxPeriods)}</li>
      {assets !== null && (
        <li>
          {sentences.assets(assets.map(({ asset, chainId }) => `${asset} · ${networkNameOf(chainId)}`).join(', '))}
        </li>
      )}
    </ul>
  )
}
