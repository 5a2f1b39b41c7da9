import type { Translated } from '../../locale.ts'
import type { testClocksEn } from './en.ts'

/** The texts of test clocks in German. */
export const testClocksDe: Translated<typeof testClocksEn> = {
  title: 'Testuhr',
  now: at => `Es ist ${at}`,
  what: 'Alle Zeiten dieses Kunden sind die der Uhr. Zahlungen haben die wirkliche Zeit.',
  next: at => `Zur nächsten Grenze, ${at}`,
  by: { day: '1 Tag', week: '1 Woche', month: '1 Monat' },
  byLabel: { day: 'Um 1 Tag vorstellen', week: 'Um 1 Woche vorstellen', month: 'Um 1 Monat vorstellen' },
  toDay: 'Auf einen Tag',
  toTitle: 'Die Uhr auf einen Tag vorstellen',
  toWhat: 'Was bis dahin fällig wird, geschieht der Reihe nach. Eine Uhr kann nicht zurückgestellt werden.',
  day: 'Tag',
  dayHint: 'Um 0:00 UTC. Später, als die Uhr zeigt, und höchstens zwei Jahre voraus.',
  dayWrong: 'Geben Sie einen Tag ein.',
  dayRefused: 'Der Tag muss später sein, als die Uhr zeigt, und höchstens zwei Jahre voraus.',
  no: 'Abbrechen',
  yes: 'Vorstellen',
  advancing: at => `Die Uhr läuft, es ist ${at}`,
  waits: 'Eine Zahlung, die bestätigt wird, hält die Uhr an, bis sie sich geändert hat.',
  done: (count, shown) => (count === 1 ? '1 Ereignis ist eingetreten' : `${shown} Ereignisse sind eingetreten`),
  doneNone: 'Nichts ist geschehen',
  create: 'Dem neuen Kunden eine Testuhr geben',
  createWhat: 'Dann stellen Sie die Zeit des Abos selbst vor: Monate vergehen in Sekunden.',
  createRefused:
    'Ein Kunde mit dieser E-Mail-Adresse existiert schon, deshalb kann er keine Testuhr bekommen. Wählen Sie ihn als bestehenden Kunden, oder geben Sie eine andere E-Mail-Adresse ein.',
  gone: 'Die Uhr wurde gelöscht. Die Zeit dieses Kunden steht still.',
}
