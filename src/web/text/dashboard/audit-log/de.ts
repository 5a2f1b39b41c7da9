import type { Translated } from '../../locale.ts'
import type { auditLogEn } from './en.ts'

/** The texts of the audit log of a shop in German. */
export const auditLogDe: Translated<typeof auditLogEn> = {
  title: 'Prüfprotokoll',
  what: 'Wer in diesem Shop was geändert hat, und wer sich angemeldet hat. Einträge ändern sich nie.',
  list: 'Einträge, neueste zuerst',
  action: 'Aktion',
  who: 'Wer',
  address: 'IP-Adresse',
  when: 'Zeit',
  actors: { operator: 'Der Betreiber', service: 'Der Server' },
  only: action => `Nur ${action}`,
  allOf: action => `Nur ${action} zeigen`,
  none: 'Keine',
  nothing: 'Einen solchen Eintrag gibt es nicht',
  nothingWhat: 'Entfernen Sie den Filter, um alle Einträge zu sehen.',
}
