import type { WebhookEndpoint } from '../../api/calls.ts'
import { eventTypesDe } from '../../text/dashboard/event-types/de.ts'
import { eventTypesEn } from '../../text/dashboard/event-types/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type EventTypesTexts = Translated<typeof eventTypesEn>

export const useEventTypesTexts = sectionTexts<EventTypesTexts>({ en: eventTypesEn, de: eventTypesDe })

export type ListedEventType = WebhookEndpoint['eventTypes'][number]

/** The texts name every type. */
export const useEventTypes = (): readonly ListedEventType[] =>
  Object.keys(useEventTypesTexts().about) as readonly ListedEventType[]

/** With the type of test events, which endpoints cannot list. */
export const useDeliveredTypes = (): readonly (ListedEventType | 'webhook_endpoint.test')[] => [
  ...useEventTypes(),
  'webhook_endpoint.test',
]
