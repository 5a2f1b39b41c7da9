import { balancesDe } from '../../text/dashboard/balances/de.ts'
import { balancesEn } from '../../text/dashboard/balances/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type BalanceTexts = Translated<typeof balancesEn>

export const useBalanceTexts = sectionTexts<BalanceTexts>({ en: balancesEn, de: balancesDe })
