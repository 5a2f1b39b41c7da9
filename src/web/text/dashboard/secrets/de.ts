import type { Translated } from '../../locale.ts'
import type { secretsEn } from './en.ts'

/** The texts of the dialogs that show and replace a secret, in German. */
export const secretsDe: Translated<typeof secretsEn> = {
  secret: 'Geheimnis',
  copy: 'Geheimnis kopieren',
  stored: 'Ich habe es gespeichert',
  done: 'Fertig',
  cancel: 'Abbrechen',
  rotateNow: 'Das alte Geheimnis gilt sofort nicht mehr',
  rotateLater: 'Das alte Geheimnis gilt noch 24 Stunden',
  rotateWhen: 'Altes Geheimnis',
}
