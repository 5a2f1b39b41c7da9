import { subscriptionsDe } from '../../text/dashboard/subscriptions/de.ts'
import { subscriptionsEn } from '../../text/dashboard/subscriptions/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type SubscriptionsTexts = Translated<typeof subscriptionsEn>

export const useSubscriptionsTexts = sectionTexts<SubscriptionsTexts>({ en: subscriptionsEn, de: subscriptionsDe })
