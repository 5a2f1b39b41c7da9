import type { Translated } from '../../locale.ts'
import type { homeEn } from './en.ts'

/** The texts of the first page of a shop in German. */
export const homeDe: Translated<typeof homeEn> = {
  title: 'Start',
  newLink: 'Neuer Zahlungslink',
  needsYou: 'Entscheidung nötig',
  nothing: 'Gerade braucht nichts Ihre Entscheidung.',
  open: 'Öffnen',
  paymentWhat: customer => `${customer}. Das Geld ist sicher. Öffnen Sie die Zahlung, um zu entscheiden.`,
  morePayments: 'Weitere Zahlungen brauchen eine Entscheidung',
  morePaymentsWhat: 'Hier stehen nur die letzten fünf.',
  refunds: count => (count === '1' ? 'Entscheidung nötig: 1 Erstattung' : `Entscheidung nötig: ${count} Erstattungen`),
  refundsWhat: 'Signieren Sie, oder entscheiden Sie, wie es weitergeht.',
  overdueInvoices: (count, shown) =>
    count === 1 ? '1 Rechnung ist überfällig' : `${shown} Rechnungen sind überfällig`,
  overdueInvoicesWhat: 'Erinnern Sie die Kunden, oder geben Sie ihnen mehr Zeit.',
  endpointOff: url => `${url} erhält keine Ereignisse mehr`,
  endpointOffWhat: 'Der Endpunkt wurde ausgeschaltet, weil er nicht wie erwartet antwortete.',
  retriedDeliveries: count =>
    count === '1' ? '1 Webhook-Zustellung wird wiederholt' : `${count} Webhook-Zustellungen werden wiederholt`,
  retriedDeliveriesWhat: (time, why) => `Ihr Server nimmt sie seit ${time} nicht an. ${why}.`,
  failedDeliveries: count =>
    count === '1' ? '1 Webhook-Zustellung ist gescheitert' : `${count} Webhook-Zustellungen sind gescheitert`,
  failedDeliveriesWhat: 'Diese Zustellungen endeten ohne Erfolg. Senden Sie erneut, sobald Ihr Server wieder arbeitet.',
  now: 'Jetzt',
  waiting: 'Wartet auf Kunden',
  confirming: 'Gesehen, noch nicht endgültig',
  decisions: 'Braucht eine Entscheidung',
  payments: count => (count === '1' ? '1 Zahlung' : `${count} Zahlungen`),
  none: 'Nichts',
  latest: 'Letzte Zahlungen',
  all: 'Alle Zahlungen',
  soon: 'Was Sie hier sehen werden',
  soonWhat:
    'Zahlen erscheinen mit der ersten Zahlung. Testgeld mischt sich nie mit echtem Geld: Es hat eigene Schlüssel und Webhooks.',
  firstTitle: 'Nehmen Sie Ihre erste Testzahlung an',
  firstWhat: 'Etwa fünf Minuten. Jeder Schritt wird abgehakt, sobald er geschehen ist.',
  firstHour: 'Die erste Stunde',
  done: (count, all) => `${count} von ${all} erledigt`,
  doneMark: 'Erledigt:',
  steps: {
    account: 'Konto anlegen',
    shop: 'Shop benennen',
    address: 'Empfangsadresse festlegen',
    wallet: 'Ziel des Geldes wählen: vorerst die Sandbox-Wallet',
    link: 'Zahlungslink erstellen',
    pay: 'Mit Testgeld bezahlen',
    webhook: 'Den Webhook ankommen sehen',
    key: 'API-Schlüssel erstellen',
    mfa: 'Zweiten Faktor einschalten',
  },
  todo: {
    address: { what: 'Das Geld geht in Ihre eigene Wallet und an niemanden sonst.', action: 'Einstellungen öffnen' },
    link: {
      what: 'Ein Zahlungslink ist eine Seite mit festem Betrag, die jeder bezahlen kann. Senden Sie ihn per E-Mail, oder legen Sie ihn hinter eine Schaltfläche.',
      action: 'Neuer Zahlungslink',
    },
    pay: {
      what: 'Die Sandbox-Wallet bezahlt Ihren neuesten Link, wie es ein Kunde täte.',
      action: 'Mit Testgeld bezahlen',
    },
    webhook: {
      what: 'Ihr Server kann von jeder Zahlung erfahren. Bis Sie einen haben, zeigt ein Posteingang auf diesem Server, was ankommen würde.',
      action: 'Posteingang öffnen',
    },
    key: {
      what: 'Der Server Ihres Shops braucht ihn, um Links anzulegen und Zahlungen zu lesen.',
      action: 'API-Schlüssel erstellen',
    },
    mfa: { what: 'Ein Passwort allein genügt nicht für ein Konto, das Geld bewegt.', action: 'Konto öffnen' },
  },
  paid: 'Mit Testgeld bezahlt',
  arrived: 'Der Webhook ist angekommen',
  notArrived: 'Der Posteingang ist offen. Das Testereignis ist noch nicht angekommen.',
  seeInbox: 'Posteingang ansehen',
}
