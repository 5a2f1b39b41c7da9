import process from 'node:process'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { dropOldRecords } from '../../src/server/retention.ts'

/** Drops old records as a worker does, until it is killed. `<database url> [transitions at once] [days of history]`. */
const [, , databaseUrl = '', transitionsAtOnce = '3', history = '400'] = process.argv
dropOldRecords(
  { sql: connect(databaseUrl, { name: 'retention', max: 1 }), log: openLog('silent') },
  {
    retainDays: { attemptBodies: 30, deliveries: 90, history: Number(history) },
    share: () => ({ position: 0, count: 1 }),
    everyMs: 20,
    transitionsAtOnce: Number(transitionsAtOnce),
  },
)
