import type { Translated } from '../../locale.ts'
import type { timelineEn } from './en.ts'

/** The texts of the history of a record in German. */
export const timelineDe: Translated<typeof timelineEn> = {
  title: 'Was geschehen ist',
  order: 'Neueste zuerst',
  newer: 'Neuere Einträge',
  older: 'Ältere Einträge',
  causes: {
    api_key: name => `durch den API-Schlüssel ${name}`,
    chain: 'auf der Blockchain gesehen',
    customer: 'durch den Kunden',
    member: name => `durch ${name}`,
    operator: 'durch einen Betreiber',
    system: 'durch den Server',
    timer: 'durch die Uhr',
  },
}
