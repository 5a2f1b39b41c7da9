import { auditLogDe } from '../../text/dashboard/audit-log/de.ts'
import { auditLogEn } from '../../text/dashboard/audit-log/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export const useAuditLogTexts = sectionTexts<Translated<typeof auditLogEn>>({ en: auditLogEn, de: auditLogDe })
