import { type ReadonlySignal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Formats, formatsOf } from '../text/format.ts'
import type { Locale } from '../text/locale.ts'
import { type PartTexts, partTextsOf } from '../text/parts/texts.ts'

/** The person who reads the page: language, formats, and the time for what is said relative to it. */
export type PageReader = {
  readonly locale: Locale
  readonly formats: Formats
  readonly texts: PartTexts
  readonly now: ReadonlySignal<Date>
}

export const pageReaderOf = (locale: Locale, now: ReadonlySignal<Date> = clock): PageReader => ({
  locale,
  formats: formatsOf(locale),
  texts: partTextsOf(locale),
  now,
})

const TICK_MS = 10_000

/** One clock for the whole page, so that all relative times change together. */
const clock = signal(new Date())
setInterval(() => {
  if (document.visibilityState === 'visible') clock.value = new Date()
}, TICK_MS)
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') clock.value = new Date()
})

export const ReaderContext = createContext<PageReader>(pageReaderOf('en'))

export const useReader = (): PageReader => useContext(ReaderContext)
