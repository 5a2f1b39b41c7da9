import type { Translated } from '../locale.ts'
import type { problemsEn } from './en.ts'

export const problemsDe: Translated<typeof problemsEn> = {
  title: 'Das hat nicht funktioniert',
  tooMany: 'Einen Moment, bitte',
  fault: 'Das hat nicht funktioniert',
  refused: 'Das ist nicht möglich',
  requestNumber: 'Nennen Sie diese Nummer, wenn Sie um Hilfe bitten:',
}
