import type { Translated } from '../../locale.ts'
import type { secretsEn } from './en.ts'

/** The texts of the dialog that shows a secret once, in German. */
export const secretsDe: Translated<typeof secretsEn> = {
  secret: 'Geheimnis',
  copy: 'Geheimnis kopieren',
  stored: 'Ich habe es gespeichert',
  done: 'Fertig',
}
