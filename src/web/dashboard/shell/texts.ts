import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type DashboardTexts, dashboardTextsOf } from '../../text/dashboard/texts.ts'

export const TextsContext = createContext<DashboardTexts>(dashboardTextsOf('en'))

export const useTexts = (): DashboardTexts => useContext(TextsContext)
