import { accountDe } from '../../text/dashboard/account/de.ts'
import { accountEn } from '../../text/dashboard/account/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type AccountTexts = Translated<typeof accountEn>

export const useAccountTexts = sectionTexts<AccountTexts>({ en: accountEn, de: accountDe })
