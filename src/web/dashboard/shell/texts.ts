import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useReader } from '../../parts/reader.ts'
import { type DashboardTexts, dashboardTextsOf } from '../../text/dashboard/texts.ts'
import type { Locale } from '../../text/locale.ts'

export const TextsContext = createContext<DashboardTexts>(dashboardTextsOf('en'))

export const useTexts = (): DashboardTexts => useContext(TextsContext)

/** Makes a hook of the texts of one section. They are loaded with its pages, not with the first page. */
export const sectionTexts =
  <Texts>(languages: Readonly<Record<Locale, Texts>>) =>
  (): Texts =>
    languages[useReader().locale]
