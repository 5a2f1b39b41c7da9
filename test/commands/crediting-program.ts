import process from 'node:process'
import { openActors } from '../../src/actors/actors.ts'
import { databaseClock } from '../../src/clock.ts'
import { issueCreditNote, voidInvoice } from '../../src/commands/credit-notes.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openLog } from '../../src/log.ts'
import { connect } from '../../src/postgres/connect.ts'
import { SECRET_KEY } from '../harness/api.ts'

/**
 * Credits a tenth of each invoice until all of it is credited, or the program is killed: half becomes credit of the customer,
 * half is refunded. An invoice that nothing was paid of is voided. `<database url> <invoice> …`. Prints a line for each.
 */
const [databaseUrl = '', ...ids] = process.argv.slice(2)
const sql = connect(databaseUrl, { name: 'crediting', max: 4, byKey: true })
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const outside = { sql, clock: databaseClock(), random, log: openLog('silent') }
const actors = await openActors(outside, kinds)
const services = { ...outside, actors, keyring: openKeyring(SECRET_KEY), chains: { all: [] } }
const requester = { cause: 'test', responseRows: () => [] }

type Left = { merchantId: string; state: string; paymentId: string | null; left: number }
const findLeft = async (id: string): Promise<Left | undefined> => {
  const [row] = await sql<Left[]>`
    select merchant_id as "merchantId", state, allocations->0->>'paymentId' as "paymentId",
      (total_minor - (select coalesce(sum(n.total_minor), 0) from credit_notes n where n.invoice_id = i.id))::int as left
    from invoices i where id = ${id} and state <> 'void'`
  return row && row.left > 0 ? row : undefined
}

await Promise.all(
  ids.map(async id => {
    for (let found = await findLeft(id); found; found = await findLeft(id)) {
      const { merchantId, state, paymentId } = found
      const key = { id, merchantId, livemode: false }
      if (state === 'open') await voidInvoice(services, key, null, requester)
      else
        await issueCreditNote(
          services,
          key,
          {
            ...{ reason: 'other', note: null, creditMinor: 50 },
            credited: { lines: [{ lineId: 'line_1', amountMinor: 100 }] },
            refunds: [{ paymentId: paymentId ?? '', amountMinor: 50, destination: null }],
          },
          requester,
        )
      console.log(id)
    }
  }),
)
process.exit(0)
