import process from 'node:process'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { finalizeInvoice } from '../../src/commands/invoices.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { SECRET_KEY } from '../harness/api.ts'

/**
 * Finalizes the drafts of a merchant until none is left or it is killed: `<database url> <merchant> <callers> [ids]`. With
 * `ids` it prints the id of each invoice, for a parent that reads all of its output.
 */
const [databaseUrl = '', merchantId = '', callers = '8', printed] = process.argv.slice(2)
const sql = connect(databaseUrl, { name: 'finalizing', max: 4, byKey: true })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const outside = { sql, clock: databaseClock(), random, log: openLog('silent') }
const services = { ...outside, actors: await openActors(outside, kinds), keyring: openKeyring(SECRET_KEY) }
const requester = { cause: 'test', responseRows: () => [] }
const drafts = await sql<
  { id: string }[]
>`select id from invoices where merchant_id = ${merchantId} and state = 'draft'`
if (printed !== 'ids') console.log(`finalizing ${drafts.length}`)
const waiting = drafts.values()
await Promise.all(
  Array.from({ length: Number(callers) }, async () => {
    for (const { id } of waiting) {
      await finalizeInvoice(services, { id, merchantId, livemode: false }, requester)
      if (printed === 'ids') console.log(id)
    }
  }),
)
process.exit(0)
