import type { Translated } from '../../locale.ts'
import type { eventTypesEn } from './en.ts'

/** The types of events in German. */
export const eventTypesDe: Translated<typeof eventTypesEn> = {
  choose: 'Ereignisse',
  chooseNone: 'Wählen Sie mindestens ein Ereignis.',
  about: {
    'payment.created': 'Ein Kunde hat eine Zahlungsseite geöffnet.',
    'payment.processing': 'Genug Geld ist zu sehen, noch nicht endgültig.',
    'payment.underpaid': 'Weniger als fällig ist zu sehen.',
    'payment.succeeded': 'Die Zahlung ist endgültig. Liefern Sie die Bestellung.',
    'payment.failed': 'Die Zahlung endete ohne den fälligen Betrag.',
    'payment.expired': 'Die Zeit ist vorbei, und kein Geld war zu sehen.',
    'payment.canceled': 'Ein Mitglied oder Ihr Server hat sie storniert.',
    'payment.late': 'Geld kam nach dem Ende an.',
    'refund.processed': 'Eine Erstattung ist endgültig.',
    'refund.failed': 'Eine Erstattung ist gescheitert.',
    'refund.canceled': 'Eine Erstattung wurde storniert.',
    'dispute.opened': 'Ein Einspruch wurde eröffnet.',
    'dispute.resolved': 'Ein Einspruch wurde entschieden.',
    'customer.created': 'Ein Kunde wurde angelegt, von Ihnen oder durch eine erste Zahlung.',
    'customer.merged': 'Ein Kunde wurde mit einem anderen zusammengeführt.',
    'invoice.created': 'Ein Entwurf wurde angelegt.',
    'invoice.finalized': 'Eine Rechnung hat ihre Nummer bekommen.',
    'invoice.payment_received': 'Geld für eine Rechnung ist endgültig.',
    'invoice.paid': 'Für eine Rechnung ist nichts mehr offen.',
    'invoice.overdue': 'Eine Rechnung ist überfällig.',
    'invoice.reminder': 'Eine Erinnerung ist fällig. Senden Sie sie dem Kunden.',
    'invoice.voided': 'Eine Rechnung wurde storniert.',
    'invoice.uncollectible': 'Eine Rechnung wurde als uneinbringlich markiert.',
    'credit_note.issued': 'Eine Rechnungskorrektur wurde ausgestellt.',
    'customer.erased': 'Die personenbezogenen Daten eines Kunden wurden gelöscht.',
  },
}
