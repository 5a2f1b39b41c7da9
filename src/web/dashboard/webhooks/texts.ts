import { webhooksDe } from '../../text/dashboard/webhooks/de.ts'
import { webhooksEn } from '../../text/dashboard/webhooks/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type WebhooksTexts = Translated<typeof webhooksEn>

export const useWebhooksTexts = sectionTexts<WebhooksTexts>({ en: webhooksEn, de: webhooksDe })
