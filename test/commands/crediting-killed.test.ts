import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { blockStatement } from '../chain/watch/block-statement.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { type IssuedInvoice, invoicesOn } from '../http/issued-invoices.ts'
import { type SimulationServer, simulationServer } from '../http/simulations.ts'
import { endSessions, startProgram } from './killed-program.ts'

let instance: SimulationServer
/** Invoices over 1,000: paid, and open with 300 of credit applied. */
const [paid, open]: [IssuedInvoice[], IssuedInvoice[]] = [[], []]

beforeAll(async () => {
  instance = await simulationServer()
  const to = invoicesOn(instance)
  const { sql } = instance.server
  for (let n = 0; n < 7; n++) paid.push(await to.issue(1000))
  for (const invoice of paid) await to.send((await to.open(invoice)).address, 1000)
  for (let n = 0; n < 6; n++) {
    const { id } = (await to.ask('POST', '/v1/customers', { email: `ada${n}@example.com` })).json as { id: string }
    const { shop, server } = instance
    const json = { currency: 'USD', amountMinor: 300, note: 'Goodwill' }
    await server.call('POST', `${shop.path}/customers/${id}/credit`, { bearer: shop.owner.bearer, json })
    open.push(await to.issue(1000, { customer: undefined, customerId: id }))
  }
  for (const invoice of paid) await to.shows(invoice, { state: 'paid', paid: 1000 })
  await until(async () => (await sql`select from unsettled_payments where reported_rev is null`).length === 0)
}, 120_000)
afterAll(() => instance?.[Symbol.asyncDispose]())

const start = (invoices: readonly IssuedInvoice[], killAfter?: number) =>
  startProgram(
    './crediting-program.ts',
    [instance.server.databaseUrl, ...invoices.map(({ actor }) => actor)],
    killAfter,
  )

/** All that credit notes of these invoices have written. */
const written = async (invoices: readonly IssuedInvoice[]) => {
  const ids = invoices.map(({ actor }) => actor)
  const [row] = await instance.server.sql`
    select
      (select count(*)::int from credit_notes where invoice_id = any(${ids}::uuid[])) as notes,
      (select count(*)::int from refunds where invoice_id = any(${ids}::uuid[])) as refunds,
      (select count(*)::int from credit_entries
       where invoice_id = any(${ids}::uuid[]) and type in ('credit_note', 'released')) as entries,
      (select coalesce(sum(jsonb_array_length(credit_note_ids)), 0)::int from invoices where id = any(${ids}::uuid[])) as named,
      (select count(*)::int from invoices where id = any(${ids}::uuid[]) and state = 'void') as voided`
  return row
}
const nothing = { notes: 0, refunds: 0, entries: 0, named: 0, voided: 0 }

const expectIntact = async () => {
  const { sql } = instance.server
  const [series] = await sql`
    select last_number as last, (select count(*)::int from credit_notes) as notes from document_series
    where document_kind = 'credit_note'`
  expect(series?.last).toBe(series?.notes)
  expect(await audit(sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
}

test.each([
  'before insert on credit_notes for each row',
  'before update on invoices for each row',
  'before update on document_series for each row',
  'before insert on refunds for each row',
  'before insert on credit_entries for each row',
  'before insert on events for each row',
])(
  'a process killed while crediting, blocked at %s, issues nothing, and the next one everything once',
  async where => {
    const [ofPaid, ofOpen] = [paid.splice(0, 1), open.splice(0, 1)]
    const both = [...ofPaid, ...ofOpen]
    {
      await using block = await blockStatement(instance.server.databaseUrl, where)
      const process = start(where.includes('refunds') ? ofPaid : both)
      await block.isBlocking()
      await process.kill()
      await endSessions(instance.server, 'crediting')
      expect(await written(both)).toEqual(nothing)
    }
    await start(both).exited
    expect(await written(both)).toEqual({ notes: 11, refunds: 10, entries: 11, named: 11, voided: 1 })
    await expectIntact()
  },
  60_000,
)

test('a process killed 5 times while crediting leaves no gap, and credits nothing twice', async () => {
  for (let kills = 0; kills < 5; kills++) {
    await start(paid, 1 + (kills % 2)).exited
    await endSessions(instance.server, 'crediting')
    await expectIntact()
  }
  await start(paid).exited
  expect(await written(paid)).toEqual({ ...nothing, notes: 10, refunds: 10, entries: 10, named: 10 })
  await expectIntact()
}, 60_000)
