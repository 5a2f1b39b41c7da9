import type { Translated } from '../../locale.ts'
import type { eventsEn } from './en.ts'

/** The texts of events in German. */
export const eventsDe: Translated<typeof eventsEn> = {
  title: 'Ereignisse',
  what: 'Was mit den Einträgen des Shops geschah, der Reihe nach. Webhooks stellen dasselbe zu.',
  list: 'Ereignisse, neueste zuerst',
  type: 'Art',
  record: 'Eintrag',
  id: 'Kennung des Ereignisses',
  created: 'Angelegt',
  ofRecord: 'Ein Eintrag',
  emptyTitle: 'Noch keine Ereignisse',
  emptyWhat: 'Das erste Ereignis geschieht, wenn ein Kunde einen Ihrer Zahlungslinks öffnet.',
  notified: 'Wer benachrichtigt wurde',
  noEndpoint: 'Kein Webhook-Endpunkt hatte diese Ereignisart abonniert.',
  details: 'Einzelheiten',
  version: 'API-Version',
  withWebhooks: 'Ereignisse und Webhooks',
  noEvents: 'Noch kein Ereignis.',
}
