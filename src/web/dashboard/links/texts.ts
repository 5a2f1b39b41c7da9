import { linksDe } from '../../text/dashboard/links/de.ts'
import { linksEn } from '../../text/dashboard/links/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type LinksTexts = Translated<typeof linksEn>

export const useLinksTexts = sectionTexts<LinksTexts>({ en: linksEn, de: linksDe })
