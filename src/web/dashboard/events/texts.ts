import { eventsDe } from '../../text/dashboard/events/de.ts'
import { eventsEn } from '../../text/dashboard/events/en.ts'
import type { Translated } from '../../text/locale.ts'
import { sectionTexts } from '../shell/texts.ts'

export type EventsTexts = Translated<typeof eventsEn>

export const useEventsTexts = sectionTexts<EventsTexts>({ en: eventsEn, de: eventsDe })
