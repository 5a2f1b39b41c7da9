import type { Translated } from '../../locale.ts'
import type { balancesEn } from './en.ts'

/** The texts of the page of balances in German. */
export const balancesDe: Translated<typeof balancesEn> = {
  title: 'Guthaben',
  what: 'Geld, das Kunden gezahlt haben und das noch an den Adressen der Zahlungen liegt.',
  list: 'Geld, das eingesammelt werden kann',
  network: 'Netzwerk',
  amount: 'Betrag',
  addresses: 'Adressen',
  treasury: 'Geht an',
  addressCount: count => `${count} Zahlungsadressen`,
  oneAddress: '1 Zahlungsadresse',
  more: 'Es gibt noch mehr. Es erscheint, wenn dies eingesammelt ist.',
  awayTitle: networks => `Keine Antwort von ${networks}`,
  awayWhat:
    'Andere Netzwerke werden gezeigt. Das Geld ist davon nicht betroffen. Diese Seite versucht es von selbst erneut.',
  emptyTitle: 'Es gibt nichts einzusammeln',
  emptyWhat: 'Wenn eine Zahlung endgültig ist, liegt ihr Geld hier, bis Sie es an Ihre Empfangsadresse einsammeln.',
  collect: 'Einsammeln',
  collectTitle: network => `Auf ${network} einsammeln`,
  collectWhat:
    'Eine Transaktion bewegt das Geld von bis zu 200 Adressen an Ihre Empfangsadresse. Jede Wallet kann sie senden; sie zahlt nur das Gas.',
  close: 'Schließen',
  step: {
    collect: (addresses, treasury) => `Bewegt das Geld von ${addresses} an ${treasury}.`,
    deploy:
      'Zuerst wird der Vertrag angelegt, der in diesem Netzwerk das Geld einsammelt. Das geschieht einmal je Netzwerk und bewegt kein Geld.',
    nothing: 'Im Moment kann nichts eingesammelt werden.',
    impossible:
      'In diesem Netzwerk fehlt der Deployment-Proxy, deshalb kann hier nichts eingesammelt werden. Wenden Sie sich an den Betreiber des Servers.',
  },
  gas: gas => `Höchstens ${gas} Gas.`,
  remaining: count => `${count} bleiben für die nächste Transaktion.`,
  others: 'Auch für andere Empfangsadressen wartet Geld:',
  leftOut: 'Jetzt nicht eingesammelt:',
  reasons: {
    payment_open: 'die Zahlung ist noch offen',
    treasury_public: 'die Empfangsadresse ist die der Sandbox, deren privater Schlüssel nicht geheim ist',
    treasury_differs: 'die Empfangsadresse ist im Netzwerk der Zahlung ein Vertrag, und hier ein anderer',
    treasury_unknown:
      'das Netzwerk der Zahlung antwortet nicht, deshalb lässt sich die Empfangsadresse nicht vergleichen',
    refused: 'der Token verweigert die Überweisung, oder die Empfangsadresse nimmt sie nicht an',
  },
  wallet: name => `Mit ${name} einsammeln`,
  browserWallet: 'Browser-Wallet',
  noWallet:
    'In diesem Browser wurde keine Wallet gefunden. Öffnen Sie diese Seite in einem Browser mit Wallet, oder nutzen Sie bun run collect auf dem Server.',
  waiting: 'Öffnen Sie Ihre Wallet und bestätigen Sie dort die Transaktion.',
  sent: 'Gesendet. Die Guthaben ändern sich, wenn die Transaktion in einem Block ist.',
  transaction: 'Transaktion',
  next: 'Die nächste Transaktion vorbereiten',
}
