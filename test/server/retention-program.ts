import process from 'node:process'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { dropOldRecords } from '../../src/server/retention.ts'

/** Drops old records as a worker does, a few at a time, until it is killed. `<database url>`. */
const [, , databaseUrl = ''] = process.argv
dropOldRecords(
  { sql: connect(databaseUrl, { name: 'retention', max: 1 }), log: openLog('silent') },
  {
    retainDays: { attemptBodies: 30, deliveries: 90, history: 400 },
    share: () => ({ position: 0, count: 1 }),
    everyMs: 20,
    transitionsAtOnce: 3,
  },
)
