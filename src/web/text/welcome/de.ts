import type { Translated } from '../locale.ts'
import type { welcomeEn } from './en.ts'

/** The sentences of the first page in German. */
export const welcomeDe: Translated<typeof welcomeEn> = {
  title: 'paymachine – Start',
  skip: 'Zum Inhalt',
  emptyHeading: 'Ihr Zahlungsserver läuft',
  emptyLead:
    'Er nimmt Krypto-Zahlungen für Shops an, direkt in deren eigene Wallets. Noch hat er kein Konto: Das erste besitzt ihn.',
  heading: 'Dieser Server nimmt Zahlungen für Shops an',
  lead: 'Wenn Sie zahlen möchten, öffnen Sie den Link, den der Shop Ihnen geschickt hat. Wenn Sie einen Shop betreiben, beginnen Sie hier.',
  demoHeading: 'Den ersten Tag eines Shops ansehen',
  demo: 'Im Ordner von paymachine. Der Befehl startet einen eigenen Server und macht alles einmal: Konto, Empfangsadresse, Zahlungslink, Zahlung, Webhook, Erstattung.',
  accountHeading: 'Das erste Konto anlegen',
  account: 'Zum Konto gehört ein eigener Shop. Der Testmodus braucht weder Wallet noch echtes Geld.',
  accountCode: 'Zum Konto gehört ein eigener Shop. Sie brauchen den Code, den der Server beim Start ausgegeben hat.',
  signUp: 'Konto anlegen',
  commandHeading: 'Das erste Konto mit der API anlegen',
  accountCommand: 'Setzen Sie Ihre E-Mail-Adresse, Ihr Passwort und den Namen des Shops ein.',
  dashboardHeading: 'Das Dashboard öffnen',
  dashboard: 'Zahlungen ansehen, Zahlungslinks, API-Schlüssel und Webhooks anlegen.',
  signIn: 'Anmelden',
  payHeading: 'Eine Testzahlung annehmen',
  pay: 'Die API-Referenz enthält die nächsten Aufrufe: API-Schlüssel, Zahlungslink, simulierte Zahlung. Der Testmodus braucht weder Wallet noch echtes Geld.',
  docs: 'API-Referenz öffnen',
  refundsHeading: 'Erstattungen senden',
  refunds: 'Melden Sie sich an und senden Sie Erstattungen aus einer Wallet in Ihrem Browser.',
  openRefunds: 'Erstattungen öffnen',
  newHeading: 'Einen Zahlungslink anlegen',
  command: 'Befehl',
  copy: 'Kopieren',
  copyCommand: '(Befehl)',
  live: {
    copied: 'Kopiert',
    copyFailed: 'Kopieren nicht möglich. Markieren und kopieren Sie den Text.',
  },
}
