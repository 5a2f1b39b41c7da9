import type { Translated } from '../../locale.ts'
import type { sandboxEn } from './en.ts'

/** The texts of payments from the sandbox wallet in German. */
export const sandboxDe: Translated<typeof sandboxEn> = {
  title: 'Aus der Sandbox-Wallet bezahlen',
  what: 'Echte Transaktionen auf der Sandbox-Blockchain, mit Testgeld. Diese Seite zeigt, was geschieht.',
  scenario: 'Was geschieht',
  pay: 'Ausführen',
  running: 'Läuft …',
  done: count => (count === '1' ? '1 Transaktion wurde gesendet.' : `${count} Transaktionen wurden gesendet.`),
  transaction: 'Transaktion',
  scenarios: {
    paid: { name: 'Bezahlt', what: 'Der jetzt fällige Betrag kommt an.' },
    underpaid: { name: 'Zu wenig', what: 'Die Hälfte davon kommt an.' },
    overpaid: { name: 'Zu viel', what: 'Das Anderthalbfache kommt an.' },
    late: { name: 'Zu spät', what: 'Die Zeit läuft ab, dann kommt der Betrag an.' },
    wrong_asset: { name: 'Falsche Währung', what: 'Es kommt ETH statt TUSD an oder umgekehrt.' },
    reverted: { name: 'Fehlgeschlagen', what: 'Die gemeldete Transaktion scheitert. Es fließt kein Geld.' },
    reorged: {
      name: 'Reorganisiert',
      what: 'Der Betrag ist zu sehen, dann verschwindet sein Block aus der Blockchain.',
    },
  },
}
