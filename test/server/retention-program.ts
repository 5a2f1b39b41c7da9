import process from 'node:process'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { dropOldRecords } from '../../src/server/retention.ts'

/**
 * Drops old records as a worker does, until it is killed. `<database url> [transitions at once] [before]`: with an ISO time, what
 * is older than it, instead of what is older than the default days.
 */
const [, , databaseUrl = '', transitionsAtOnce = '3', before] = process.argv
const today = new Date().setUTCHours(0, 0, 0, 0)
const days = before === undefined ? undefined : (today - Date.parse(before)) / 86_400_000
dropOldRecords(
  { sql: connect(databaseUrl, { name: 'retention', max: 1 }), log: openLog('silent') },
  {
    retainDays: { attemptBodies: days ?? 30, deliveries: days ?? 90, history: days ?? 400 },
    share: () => ({ position: 0, count: 1 }),
    everyMs: 20,
    transitionsAtOnce: Number(transitionsAtOnce),
  },
)
