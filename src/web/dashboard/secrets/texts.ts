import { secretsDe } from '../../text/dashboard/secrets/de.ts'
import { secretsEn } from '../../text/dashboard/secrets/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export const useSecretsTexts = sectionTexts<Translated<typeof secretsEn>>({ en: secretsEn, de: secretsDe })
