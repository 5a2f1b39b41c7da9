import type { Translated } from '../../locale.ts'
import type { inviteEn } from './en.ts'

/** The texts of the page on which an invited person accepts, in German. */
export const inviteDe: Translated<typeof inviteEn> = {
  title: 'Sie sind in einen Shop eingeladen',
  titleOf: shop => `Einladung in den Shop ${shop}`,
  what: host => `Ein Inhaber des Shops hat Ihnen diesen Link zum Dashboard auf ${host} geschickt.`,
  role: 'Ihre Rolle',
  until: 'Gültig bis',
  signedInAs: email => `Sie sind angemeldet als ${email}.`,
  accept: 'Einladung annehmen',
  otherAccount: 'Anderes Konto verwenden',
  create: 'Konto anlegen und annehmen',
  createTitle: 'Neues Konto',
  haveAccount: 'Sie haben ein Konto auf diesem Server?',
  signIn: 'Anmelden und annehmen',
  signInTitle: 'Zum Annehmen anmelden',
  noAccount: 'Noch kein Konto?',
  createInstead: 'Konto anlegen',
  emailHint: 'Nennt die Einladung eine Adresse, verwenden Sie dieselbe.',
  emailBound: 'Die Einladung gilt für eine E-Mail-Adresse. Verwenden Sie diese.',
  notValid: 'Diese Einladung gilt nicht mehr',
  notValidWhat: 'Sie wurde benutzt, widerrufen oder ist abgelaufen. Bitten Sie den Inhaber um einen neuen Link.',
  incomplete: 'Der Link ist nicht vollständig',
  incompleteWhat: 'Öffnen Sie ihn noch einmal aus der Nachricht, oder kopieren Sie ihn ganz in die Adresszeile.',
  refused: 'Dieses Konto kann die Einladung nicht benutzen',
  refusedWhat: 'Die Einladung gilt für eine andere E-Mail-Adresse, oder das Konto ist schon Mitglied des Shops.',
  toDashboard: 'Zum Dashboard',
  joined: shop => `Sie sind jetzt Mitglied von ${shop}`,
}
