import pino, { type Logger } from 'pino'

export type Log = Logger

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** JSON lines on standard output. Records are built by naming fields, so secrets have no way in. */
export const openLog = (level: LogLevel): Log => pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime })
