import type { Translated } from '../../locale.ts'
import type { findEn } from './en.ts'

/** The texts of the search over all records, and of the list of shortcuts, in German. */
export const findDe: Translated<typeof findEn> = {
  title: 'Suche und Befehle',
  results: 'Ergebnisse',
  records: 'Einträge',
  create: 'Anlegen',
  goTo: 'Gehe zu',
  newLink: 'Neuer Zahlungslink',
  newCustomer: 'Neuer Kunde',
  newInvoice: 'Neue Rechnung',
  draft: total => `Entwurf über ${total}`,
  matching: text => `Zahlungen zu „${text}“`,
  refund: 'Erstattung',
  dispute: 'Einspruch',
  choose: 'wählen',
  openIt: 'öffnen',
  scopeTest: 'Nur Testmodus. Auch Kennung, Hash oder E-Mail.',
  scopeLive: 'Nur Livemodus. Auch Kennung, Hash oder E-Mail.',
  searching: 'Suche läuft',
  count: count => (count === 1 ? '1 Ergebnis' : `${count} Ergebnisse`),
  nothing: text => `Nichts gefunden zu „${text}“`,
  failed: 'Die Suche hat nicht funktioniert. Ändern Sie den Text für einen neuen Versuch.',
  keysTitle: 'Tastenkürzel',
  keys: {
    find: 'Suchen, zu einer Seite gehen, einen Eintrag öffnen',
    search: 'In dieser Liste suchen',
    next: 'Nächste Zeile',
    previous: 'Vorige Zeile',
    open: 'Zeile öffnen',
    fresh: 'Neue Zahlungen oder Kunden anzeigen',
    close: 'Dialog oder Menü schließen',
    help: 'Diese Tastenkürzel zeigen',
  },
  single: 'Kürzel mit einer einzelnen Taste',
  singleHint: 'Schalten Sie sie ab, wenn Sie die Seite mit der Stimme bedienen.',
}
