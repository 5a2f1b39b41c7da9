import { sectionTexts } from '../../dashboard/shell/texts.ts'
import type { Translated } from '../../text/locale.ts'
import { opsDe } from '../../text/ops/de.ts'
import { opsEn } from '../../text/ops/en.ts'

export type OpsTexts = Translated<typeof opsEn>

export const useOpsTexts = sectionTexts<OpsTexts>({ en: opsEn, de: opsDe })
