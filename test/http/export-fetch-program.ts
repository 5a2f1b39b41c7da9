import process from 'node:process'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'

/** Ends when the session of the export has received a statement after the export was recorded. `<database url>` */
const [, , databaseUrl = ''] = process.argv
const sql = connect(databaseUrl, { name: 'watcher', max: 1 })
await until(
  async () => {
    const rows = await sql`
      select from pg_stat_activity a join security_events e on e.action = 'export.created' and e.at < a.query_start
      where a.application_name = 'paymachine export' and a.datname = current_database()`
    return rows.length > 0
  },
  { timeoutMs: 10_000, what: 'a statement of the export' },
)
await sql.end()
