import { keysDe } from '../../text/dashboard/keys/de.ts'
import { keysEn } from '../../text/dashboard/keys/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type KeysTexts = Translated<typeof keysEn>

export const useKeysTexts = sectionTexts<KeysTexts>({ en: keysEn, de: keysDe })
