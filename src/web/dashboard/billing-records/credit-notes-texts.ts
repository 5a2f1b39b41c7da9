import { creditNotesDe } from '../../text/dashboard/credit-notes/de.ts'
import { creditNotesEn } from '../../text/dashboard/credit-notes/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export const useCreditNotesTexts = sectionTexts<Translated<typeof creditNotesEn>>({
  en: creditNotesEn,
  de: creditNotesDe,
})
