import type { Translated } from '../locale.ts'
import type { claimsEn } from './en.ts'

/** Die Sätze der Seite, auf der ein Kunde die Adresse für eine Erstattung eingibt. */
export const claimsDe: Translated<typeof claimsEn> = {
  title: 'Ihre Erstattung von {shop}',
  errorTitle: 'Fehler: {title}',
  from: 'Erstattung von {shop}',
  invoice: 'Zu Rechnung {number}',
  enter: 'Geben Sie Ihre Adresse für die Erstattung ein',
  receive: 'Sie erhalten',
  network: 'Netzwerk',
  transaction: 'Transaktion',
  address: 'Ihre Adresse auf {network}',
  sandbox: {
    what: 'Sie brauchen hier keine Wallet: Die Sandbox hat eine.',
    use: 'Sandbox-Wallet verwenden',
  },
  orWallet: 'Oder verwenden Sie eine Wallet in diesem Browser:',
  warnings: {
    own: 'Verwenden Sie Ihre eigene Wallet.',
    ownWhat:
      'Eine Börse schreibt eine Erstattung an Ihre Einzahlungsadresse vielleicht nicht gut. Das Geld wäre verloren.',
    network: 'Verwenden Sie eine Adresse auf {network}.',
    networkWhat:
      'Die Erstattung wird nur auf diesem Netzwerk gesendet. Eine Adresse eines anderen Netzwerks gehört Ihnen hier vielleicht nicht.',
    final: 'Die Adresse kann später nicht geändert werden.',
    finalWhat: 'Geld, das an eine falsche Adresse gesendet wurde, lässt sich nicht zurückholen.',
  },
  submit: 'Weiter',
  faults: {
    invalid_destination:
      'An diese Adresse kann die Erstattung nicht gesendet werden. Es wurde nichts gespeichert. Kopieren Sie die Adresse aus Ihrer Wallet: Sie beginnt mit 0x und hat 42 Zeichen.',
    invalid_signature:
      'Die Signatur gehört nicht zu dieser Adresse. Es wurde nichts gespeichert. Signieren Sie noch einmal mit dem Konto dieser Adresse, oder fahren Sie ohne Signatur fort.',
  },
  confirm: {
    heading: 'Ist das Ihre Adresse?',
    title: 'Ist das Ihre Adresse? – {shop}',
    compare: 'Vergleichen Sie jedes Zeichen mit der Adresse in Ihrer Wallet:',
    sandbox: 'Das ist die Adresse der Sandbox-Wallet:',
    signed: 'Ihre Wallet hat bestätigt, dass diese Adresse Ihnen gehört.',
    final: 'Das lässt sich später nicht ändern.',
    finalWhat: 'Die Erstattung wird an diese Adresse auf {network} gesendet. Sie kann nicht rückgängig gemacht werden.',
    submit: 'Adresse bestätigen',
    another: 'Eine andere Adresse verwenden',
  },
  done: {
    heading: 'Vielen Dank',
    title: 'Vielen Dank – {shop}',
    what: 'Ihre Adresse ist angekommen. {shop} sendet {amount} an diese Adresse auf {network}:',
    processing: '{shop} sendet gerade {amount} an diese Adresse auf {network}:',
    processed: '{shop} hat {amount} an diese Adresse auf {network} gesendet:',
    next: 'Sie müssen nichts weiter tun.',
  },
  taken: {
    heading: 'Eine Adresse wurde bereits eingegeben',
    sentHeading: 'Ihre Erstattung wurde gesendet',
    tried: 'Ihre Adresse wurde nicht gespeichert: Zuvor wurde eine andere eingegeben.',
    waits: '{amount} werden an {address} auf {network} gesendet.',
    processing: '{amount} werden gerade an {address} auf {network} gesendet.',
    processed: '{amount} wurden an {address} auf {network} gesendet.',
    notYours: 'Wenn das nicht Ihre Adresse ist, wenden Sie sich an {shop}.',
  },
  closed: {
    canceled: 'Diese Erstattung wurde storniert',
    canceledWhat:
      'Für diese Erstattung wird kein Geld gesendet. Wenden Sie sich an {shop}, wenn Sie Fragen haben oder einen neuen Link brauchen.',
    expired: 'Diese Seite ist abgelaufen',
    expiredWhat:
      'Sie können hier keine Adresse mehr eingeben. Es wurde kein Geld gesendet. Wenden Sie sich an {shop}, wenn Sie Fragen haben oder einen neuen Link brauchen.',
  },
  none: {
    title: 'Erstattung nicht gefunden',
    what: 'Unter dieser Adresse gibt es keine Erstattung. Prüfen Sie den Link, oder bitten Sie den Absender um einen neuen.',
  },
  live: {
    browserWallet: 'Browser-Wallet',
    choose: 'Öffnen Sie Ihre Wallet, und wählen Sie das Konto für die Erstattung.',
    noAccount: 'Die Wallet hat keine Adresse genannt. Sie können eine eintippen.',
    sign: 'Öffnen Sie Ihre Wallet, und signieren Sie die Nachricht. Sie bestätigt, dass die Adresse Ihnen gehört, und kostet nichts.',
    unsigned: 'Die Adresse wurde ohne Signatur eingetragen. Eine Signatur ist freiwillig: Sie können fortfahren.',
    signed: 'Signiert.',
  },
}
