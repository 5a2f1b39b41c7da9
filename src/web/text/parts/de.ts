import type { Translated } from '../locale.ts'
import type { partsEn } from './en.ts'

export const partsDe: Translated<typeof partsEn> = {
  close: 'Schließen',
  copy: 'Kopieren',
  copyOf: what => `${what} kopieren`,
  copied: 'Kopiert',
  copyFailed: 'Nicht kopiert. Markieren Sie den Text und kopieren Sie ihn selbst.',
  copyAddress: 'Adresse kopieren',
  showOptions: 'Auswahl zeigen',
  noOption: query => `Nichts passt zu „${query}“.`,
  optionCount: count => (count === 1 ? '1 Möglichkeit' : `${count} Möglichkeiten`),
  optional: 'optional',
  dismiss: 'Ausblenden',
  loading: 'Wird geladen',
  loadingFailed: 'Das dauert zu lange',
  loadingFailedWhat: 'Der Server hat seit 10 Sekunden nicht geantwortet. Was Sie sehen, kann veraltet sein.',
  tryAgain: 'Noch einmal versuchen',
  tryAgainIn: seconds => `Noch einmal in ${seconds} s`,
  requestId: 'Anfrage-ID',
}
