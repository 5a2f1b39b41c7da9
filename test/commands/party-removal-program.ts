import process from 'node:process'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { removeDueParties } from '../../src/server/party-removal.ts'

/** Removes expired parties as a worker does, until it is killed. `<database url>`. Prints a line for each check that removed some. */
const [, , databaseUrl = ''] = process.argv
const sql = connect(databaseUrl, { name: 'party removal', max: 1 })
const log = openLog('silent')
removeDueParties(
  { sql, log: { ...log, info: ({ invoices }: { invoices: number }) => console.log(invoices) } as typeof log },
  { share: () => ({ position: 0, count: 1 }), everyMs: 20 },
)
