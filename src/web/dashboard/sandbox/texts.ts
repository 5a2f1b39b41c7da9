import { sandboxDe } from '../../text/dashboard/sandbox/de.ts'
import { sandboxEn } from '../../text/dashboard/sandbox/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type SandboxTexts = Translated<typeof sandboxEn>

export const useSandboxTexts = sectionTexts<SandboxTexts>({ en: sandboxEn, de: sandboxDe })
