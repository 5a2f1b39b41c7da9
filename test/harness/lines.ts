import pino from 'pino'
import type { Log } from '../../src/log.ts'

/** A log whose lines a test can read. */
export const readableLog = (): {
  readonly log: Log
  readonly text: () => string
  readonly lines: () => readonly Line[]
} => {
  const written: string[] = []
  const log = pino({ level: 'trace', base: null }, { write: line => void written.push(line) })
  return { log, text: () => written.join(''), lines: () => written.map(line => JSON.parse(line)) }
}

export type Line = { readonly level: number; readonly msg: string; readonly [field: string]: unknown }
