import type { Translated } from '../locale.ts'
import type { problemsEn } from './en.ts'

export const problemsDe: Translated<typeof problemsEn> = {
  title: 'Das hat nicht funktioniert',
  tooMany: 'Einen Moment, bitte',
  fault: 'Das hat nicht funktioniert',
  refused: 'Das ist nicht möglich',
  requestNumber: 'Nennen Sie diese Nummer, wenn Sie um Hilfe bitten:',
  notFound: {
    title: 'Seite nicht gefunden',
    what: 'Unter dieser Adresse gibt es keine Seite. Vielleicht ist die Adresse abgeschnitten oder vertippt. Wenn Sie den Link erhalten haben, bitten Sie um einen neuen.',
    nothingChanged: 'Es wurde nichts bezahlt oder geändert.',
    start: 'Zur Startseite',
  },
}
