import type { Translated } from '../../locale.ts'
import type { postalAddressEn } from './en.ts'

/** The texts of postal addresses in German. */
export const postalAddressDe: Translated<typeof postalAddressEn> = {
  title: 'Anschrift',
  hint: 'Ohne Anschrift lassen Sie alle Felder leer.',
  fields: {
    line1: 'Straße und Hausnummer',
    line2: 'Adresszusatz',
    postalCode: 'Postleitzahl',
    city: 'Ort',
    state: 'Bundesland oder Region',
    country: 'Land',
  },
  choose: 'Land wählen',
  missing: {
    line1: 'Geben Sie Straße und Hausnummer ein.',
    postalCode: 'Geben Sie die Postleitzahl ein.',
    city: 'Geben Sie den Ort ein.',
    country: 'Wählen Sie das Land.',
  },
  refused: 'Dieser Wert wird nicht angenommen. Tippen Sie ihn neu, ohne unsichtbare Zeichen.',
}
