import type { Translated } from '../../locale.ts'
import type { exportsEn } from './en.ts'

export const exportsDe: Translated<typeof exportsEn> = {
  titles: {
    payments: 'Zahlungen exportieren',
    refunds: 'Erstattungen exportieren',
    invoices: 'Rechnungen exportieren',
    'credit-notes': 'Gutschriften exportieren',
    subscriptions: 'Abonnements exportieren',
    customers: 'Kunden exportieren',
    balances: 'Guthaben exportieren',
  },
  what: 'Die Datei enthält alle Einträge, die in diesem Zeitraum angelegt wurden.',
  whatFiltered:
    'Die Datei enthält die Einträge, die die Filter der Liste zeigen und die in diesem Zeitraum angelegt wurden.',
  whatBalances: 'Die Datei enthält, was jetzt auf den Adressen von Zahlungen liegt.',
  records: 'Einträge',
  kinds: { invoices: 'Rechnungen', 'credit-notes': 'Gutschriften' },
  kindsWhat: {
    invoices: 'Mit Entwürfen, wie in der Liste.',
    'credit-notes': 'Zu allen Rechnungen oder denen des Kunden der Liste.',
  },
  from: 'Erster Tag',
  to: 'Letzter Tag',
  rangeHint: 'Höchstens 400 Tage, in der Zeitzone des Shops.',
  fromMissing: 'Geben Sie den ersten Tag an.',
  toMissing: 'Geben Sie den letzten Tag an.',
  rangeReversed: 'Der letzte Tag liegt vor dem ersten.',
  rangeTooLong: 'Das sind mehr als 400 Tage. Exportieren Sie die Jahre einzeln.',
  format: 'Format',
  formats: { csv: 'CSV', ndjson: 'NDJSON' },
  formatsWhat: {
    csv: 'Eine Tabelle mit einer Zeile je Eintrag, für Tabellenprogramme und Buchhaltung.',
    ndjson: 'Ein JSON-Objekt je Zeile, für Programme.',
  },
  bom: 'Für Excel',
  bomWhat: 'Excel zeigt dann Buchstaben wie ä und é richtig.',
  cancel: 'Abbrechen',
  submit: 'Exportieren',
  started: 'Der Download hat begonnen',
  busy: 'Es laufen schon zwei Exporte dieses Shops. Warten Sie, bis einer fertig ist.',
}
