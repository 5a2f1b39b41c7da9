import type { Translated } from '../locale.ts'
import type { errorsEn } from './en.ts'

export const errorsDe: Translated<typeof errorsEn> = {
  parameter_missing: 'Ein Pflichtfeld ist leer. Füllen Sie es aus und versuchen Sie es noch einmal.',
  parameter_invalid:
    'Ein Feld enthält einen Wert, der nicht erlaubt ist. Prüfen Sie ihn und versuchen Sie es noch einmal.',
  parameter_unknown: 'Die Seite hat ein Feld gesendet, das der Server nicht kennt. Laden Sie die Seite neu.',
  invalid_json: 'Der Server konnte die Anfrage nicht lesen. Laden Sie die Seite neu.',
  invalid_cursor: 'Diese Stelle der Liste gibt es nicht mehr. Beginnen Sie am Anfang der Liste.',
  invalid_api_version: 'Der Server kennt diese API-Version nicht. Laden Sie die Seite neu.',
  idempotency_key_required: 'Der Anfrage fehlt der Schlüssel gegen doppelte Ausführung. Laden Sie die Seite neu.',
  idempotency_key_invalid: 'Der Schlüssel gegen doppelte Ausführung ist ungültig. Laden Sie die Seite neu.',
  missing_api_key: 'Dafür ist ein API-Schlüssel nötig. Erstellen Sie einen unter API-Schlüssel.',
  invalid_api_key:
    'Der API-Schlüssel existiert nicht, ist abgelaufen oder wurde widerrufen. Benutzen Sie einen anderen.',
  invalid_credentials: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  mfa_required: 'Geben Sie auch den Code aus Ihrer Authenticator-App ein.',
  invalid_mfa_code: 'Der Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten in Ihrer App.',
  invalid_token: 'Sie sind abgemeldet. Melden Sie sich an, um fortzufahren.',
  insufficient_scope: 'Der API-Schlüssel darf das nicht. Benutzen Sie einen mit der nötigen Berechtigung.',
  sandbox_only: 'Das geht nur im Testmodus.',
  step_up_required: 'Bestätigen Sie, dass Sie es sind. Danach geht es weiter.',
  insufficient_role: 'Ihre Rolle erlaubt das nicht. Fragen Sie einen Inhaber des Shops.',
  second_factor_required:
    'Betreiber brauchen einen zweiten Faktor. Richten Sie ihn in Ihrem Konto ein und geben Sie dann einen Code ein.',
  sign_up_closed: 'Die Registrierung ist hier geschlossen, oder der Code ist falsch. Bitten Sie um eine Einladung.',
  resource_not_found: 'Diesen Datensatz gibt es nicht, oder Sie haben keinen Zugriff darauf.',
  route_not_found: 'Unter dieser Adresse gibt es nichts. Prüfen Sie den Link.',
  method_not_allowed: 'Diese Adresse nimmt die Anfrage nicht an. Laden Sie die Seite neu.',
  body_too_large: 'Das ist zu groß für den Server. Verkleinern Sie es und versuchen Sie es noch einmal.',
  unsupported_media_type: 'Der Server nimmt diese Art von Inhalt nicht an.',
  state_conflict: 'Der Datensatz hat sich inzwischen geändert, deshalb ist das nicht mehr möglich.',
  payment_not_cancelable:
    'Für diese Zahlung ist Geld eingegangen oder sie ist beendet, deshalb kann sie nicht storniert werden.',
  payment_link_not_active: 'Dieser Zahlungslink ist geschlossen. Erstellen Sie einen neuen.',
  dispute_already_open: 'Zu dieser Zahlung gibt es schon eine offene Reklamation.',
  duplicate_reference: 'Es gibt schon einen Zahlungslink mit dieser Referenz. Benutzen Sie eine andere.',
  customer_in_use:
    'Etwas von diesem Kunden ist noch nicht beendet, oder es gibt ein Guthaben. Schließen Sie das ab und löschen Sie dann.',
  duplicate_customer: 'Es gibt schon einen Kunden mit dieser E-Mail-Adresse. Öffnen Sie diesen.',
  customer_erased: 'Die Daten dieses Kunden wurden gelöscht. Wählen Sie einen anderen Kunden.',
  plan_archived: 'Dieser Aboplan ist archiviert. Wählen Sie einen anderen Plan.',
  email_taken: 'Es gibt schon ein Konto mit dieser E-Mail-Adresse. Melden Sie sich stattdessen an.',
  idempotency_key_in_use: 'Dieselbe Anfrage wird gerade noch bearbeitet. Warten Sie einen Moment.',
  idempotency_key_reused:
    'Das wurde schon mit anderen Werten gesendet. Laden Sie die Seite neu, bevor Sie es wieder senden.',
  payment_not_refundable:
    'Diese Zahlung kann nicht erstattet werden: Sie ist nicht beendet, oder es ist kein Geld eingegangen.',
  refund_exceeds_remaining: 'Das ist mehr, als von dieser Zahlung übrig ist. Geben Sie einen kleineren Betrag ein.',
  payment_not_disputable: 'Nur eine erfolgreiche Zahlung kann reklamiert werden.',
  invalid_destination: 'An diese Adresse kann nicht erstattet werden. Prüfen Sie sie oder nehmen Sie eine andere.',
  unsupported_currency: 'Diese Währung wird nicht unterstützt. Benutzen Sie USD oder EUR.',
  unsupported_asset: 'Diese Kryptowährung gibt es in diesem Netzwerk nicht. Wählen Sie eine andere.',
  credit_exceeds_balance: 'Das Guthaben dieses Kunden lässt diesen Betrag nicht zu.',
  currency_mismatch: 'Dieser Aboplan hat eine andere Währung als das Abo. Wählen Sie einen Plan in derselben Währung.',
  invoice_void: 'Diese Rechnung wurde storniert. Es ist nichts zu zahlen.',
  invoice_incomplete: 'In den Einstellungen für Rechnungen fehlt Ihr Name oder Ihre Anschrift. Tragen Sie beides ein.',
  invoice_has_payments:
    'Geld für diese Rechnung ist eingegangen oder unterwegs. Stellen Sie stattdessen eine Rechnungskorrektur aus.',
  credit_note_exceeds_invoice:
    'Das ist mehr, als berechnet und noch nicht gutgeschrieben wurde. Verringern Sie Mengen oder Beträge.',
  credit_note_not_settled:
    'Guthaben und Erstattungen stimmen nicht mit dem Bezahlten überein. Passen Sie sie an, bis nichts übrig bleibt.',
  invoice_total_out_of_range: 'Die Summe der Rechnung ist negativ oder zu groß. Prüfen Sie die Positionen.',
  rate_limited: 'Das waren zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es noch einmal.',
  internal_error:
    'Auf dem Server ist ein Fehler passiert. Geändert wurde nur, was diese Seite zeigt. Versuchen Sie es noch einmal.',
  rate_unavailable:
    'Für diese Kryptowährung gibt es gerade keinen Kurs. Wählen Sie eine andere oder versuchen Sie es später.',
  chain_unavailable: 'Dieses Netzwerk antwortet gerade nicht. Andere funktionieren. Versuchen Sie es später.',
  service_unavailable: 'Der Server ist gerade nicht erreichbar. Versuchen Sie es in einer Minute noch einmal.',
  unreachable: 'Der Server antwortet nicht. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
}
