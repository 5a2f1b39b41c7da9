import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { eraseCustomer } from '../../src/commands/customer-erasures.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openInstance } from '../actors/lamps.ts'
import { insertPaidPayments } from '../bench/audit-rows.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { database } from '../harness/database.ts'
import { startMain } from '../harness/main.ts'
import { findTablesWith } from '../harness/marks.ts'
import { until } from '../harness/until.ts'
import { customerOpening } from '../machines/customer-cases.ts'

const PAYMENTS = 2_000
const EMAIL = 'erica@zqmark7.example'

test('the copies of an erased customer are erased although every worker that begins is killed', async () => {
  await using db = await database()
  const { world, sql, actors, close } = await openInstance(db.url, { kinds })
  await insertPaidPayments(sql, openKeyring(SECRET_KEY), PAYMENTS)
  const services = { ...world, actors }
  const [merchant] = await sql<{ id: string }[]>`select id from merchants`
  const merchantId = merchant?.id ?? ''
  const id = crypto.randomUUID()
  const create = { ...customerOpening, merchantId, email: EMAIL, name: EMAIL }
  await actors.dispatch({ kind: 'customer', actor: id, create })
  await sql`update payments set customer_id = ${id}, customer_email = ${EMAIL}, customer_name = 'Erica'`
  await sql`
    update events e set object = c.copy,
      digest = event_digest(id, actor, rev, type, merchant_id, livemode, api_version, c.copy, created_at)
    from (select id as event, replace(object, 'ada@example.com', ${EMAIL}) as copy from events) c
    where c.event = e.id`
  await eraseCustomer(services, { id, merchantId, livemode: false }, '0193a000-0000-7000-8000-00000000000a')

  const countLeft = async (): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from events where object like ${`%${EMAIL}%`}`
    return row?.count ?? 0
  }
  const all = await countLeft()
  expect(all).toBe(PAYMENTS * 3 + 1)
  const left = [all]
  for (const share of [0.95, 0.4]) {
    await using worker = await startMain({ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'worker' })
    // The job of a killed worker is released within half a minute.
    await until(async () => (await countLeft()) <= all * share, { timeoutMs: 60_000, everyMs: 5 })
    worker.child.kill('SIGKILL')
    await worker.exited
    left.push(await countLeft())
  }
  console.log(`copies left after each kill: ${left.join(', ')}`)
  expect(await sql`select from customers where id = ${id} and state = 'erasing'`).toHaveLength(1)
  await using _last = await startMain({ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'worker' })
  await until(async () => (await sql`select from customers where state = 'erased'`).length === 1, { timeoutMs: 90_000 })
  expect(await findTablesWith(sql, [EMAIL, 'Erica'])).toEqual([])
  expect(await sql`select type from events where type = 'customer.erased'`).toHaveLength(1)
  expect(await audit(sql, kinds)).toEqual([])
  await close()
}, 240_000)
