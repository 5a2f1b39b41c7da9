import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { eraseCopies, eraseCustomer } from '../../src/commands/customer-erasures.ts'
import { erasedEmail } from '../../src/email-key.ts'
import { encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { erasedFields } from '../../src/kinds/erased-fields.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { eraseCopiesOf } from '../../src/queries/customer-erasures.ts'
import { dropOfActors, findOldActors, type RetainedPart } from '../../src/queries/retention.ts'
import { findTablesWith } from '../harness/marks.ts'
import { until } from '../harness/until.ts'
import { customerOpening } from '../machines/customer-cases.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { receiver } from '../webhooks/receiver.ts'
import { sendingInstance } from '../webhooks/sending-instance.ts'
import { countIn, daysAgo, readFeeds, recordAudit, runRetention } from './retaining.ts'

/** In everything that is known about the customer. */
const MARK = 'zqmark7'
const person = { email: `ada@${MARK}.example`, name: `Ada ${MARK}` }

/** When payments of a customer were canceled, in days. The last are younger than anything that is dropped. */
const AGES = [500, 480, 450, 120, 100, 95, 40, 20, 1]

/**
 * A customer and another one that was merged into it, with payments of the last two years, whose deliveries were answered with
 * its e-mail address.
 */
const agedCustomer = async () => {
  await using starting = new AsyncDisposableStack()
  const shop = starting.use(await receiver(response => void response.writeHead(200).end(`got ${person.email}`)))
  const instance = starting.use(await sendingInstance({ at: daysAgo(501) }))
  const { clock, sql, world } = instance
  const [merchant] = await sql<{ id: string }[]>`select id from merchants`
  const merchantId = merchant?.id ?? ''
  const send = async (...commands: Parameters<typeof world.actors.dispatchBundle>[0]) =>
    expect(await world.actors.dispatchBundle(commands)).toMatchObject({ ok: true })
  const endpoint = await instance.addEndpoint(shop.url)
  const sender = instance.startSender()
  const [customer, merged] = [crypto.randomUUID(), crypto.randomUUID()]
  const open = (actor: string, email: string) =>
    send({ kind: 'customer', actor, create: { ...customerOpening, ...person, email, merchantId } })
  await open(customer, person.email)
  await open(merged, `two.${person.email}`)
  await send({ kind: 'customer', actor: merged, event: { type: 'update', changes: { reference: MARK } } as never })
  await send(
    { kind: 'customer', actor: merged, event: { type: 'merge', intoId: customer } as never },
    { kind: 'customer', actor: customer, event: { type: 'absorb' } },
  )
  for (const [n, age] of AGES.entries()) {
    clock.set(daysAgo(age))
    const actor = crypto.randomUUID()
    const about = {
      customerId: n % 2 === 0 ? customer : merged,
      customerEmail: person.email,
      customerName: person.name,
    }
    await send({ kind: 'payment', actor, create: { ...paymentOpening, ...about, windowMinutes: 30, merchantId } })
    await send({ kind: 'payment', actor, event: { type: 'cancel' } })
    sender.wake([endpoint])
    await until(async () => (await countIn(instance, 'deliveries', `state = 'delivered'`)) === n + 1)
  }
  await sender.stop()
  clock.set(new Date())
  await readFeeds(instance)
  await recordAudit(instance, 'clean')
  expect(await audit(sql, kinds)).toEqual([])
  const places = (await findTablesWith(sql, [MARK])).map(found => found.split(':')[0])
  expect(places).toEqual(['customers', 'delivery_attempts', 'events', 'payments'].map(table => `public.${table}`))
  const alone = starting.adopt(connect(instance.url, { max: 1 }), pool => pool.end({ timeout: 1 }))
  const rest = starting.move()
  return {
    ...{ ...instance, alone, customer, merchantId },
    erase: () => eraseCustomer(world, { id: customer, merchantId, livemode: false }, crypto.randomUUID()),
    eraseCopies: () => eraseCopies(world, customer, new AbortController().signal),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}
type Instance = Awaited<ReturnType<typeof agedCustomer>>

const daysOf = { attempt_bodies: 30, deliveries: 90, history: 400 } satisfies Record<RetainedPart, number>

/** Drops all that is old of one part, in one transaction. */
const dropIn = async (sql: Sql, part: RetainedPart) => {
  const before = daysAgo(daysOf[part])
  const found = await findOldActors(sql, part, { before, most: 1_000 })
  if (!found) throw new Error('nothing was found')
  return dropOfActors(sql, part, found, before)
}

/** Erases all copies but for those of another transaction, which it waits for. */
const eraseIn = async (sql: Sql, { customer }: Instance) => {
  const actors = await sql<{ id: string }[]>`
    select id from customers union all select id from payments`
  return eraseCopiesOf(
    sql,
    actors.map(({ id }) => id),
    erasedFields(erasedEmail(encodeId('cus', customer))),
  )
}

const untilLocked = (instance: Instance) =>
  until(
    async () =>
      (await countIn(instance, 'pg_stat_activity', `datname = current_database() and wait_event_type = 'Lock'`)) > 0,
  )

const expectNothingLeft = async (instance: Instance) => {
  expect(await findTablesWith(instance.sql, [MARK])).toEqual([])
  expect(await countIn(instance, 'customers', `state = 'erased'`)).toBe(1)
  await readFeeds(instance)
  await runRetention(instance)
  expect(await countIn(instance, 'deliveries')).toBe(3)
  expect(await countIn(instance, 'retention_progress', 'completed_at is not null and held is null')).toBe(3)
  expect(await findTablesWith(instance.sql, [MARK])).toEqual([])
  expect(await audit(instance.sql, kinds)).toEqual([])
}

test.each(['attempt_bodies', 'deliveries', 'history'] as const)(
  'while rows of the part %s are being dropped, the erasure of their customer ends after them and leaves nothing',
  async part => {
    await using instance = await agedCustomer()
    const { alone } = instance
    await alone`begin`
    expect((await dropIn(alone, part))?.dropped).toBeGreaterThan(2)
    await instance.erase()
    const erasing = instance.eraseCopies()
    // Nothing of a history is erased.
    if (part === 'history') await erasing
    else await untilLocked(instance)
    await alone`commit`
    await erasing
    await expectNothingLeft(instance)
  },
)

test.each(['attempt_bodies', 'deliveries', 'history'] as const)(
  'while copies are being erased, rows of the part %s are dropped without a wait, or by the next check',
  async part => {
    await using instance = await agedCustomer()
    const { alone, sql } = instance
    await instance.erase()
    await readFeeds(instance)
    await alone`begin`
    expect((await eraseIn(alone, instance)).rewritten).toBeGreaterThan(AGES.length)
    const dropped = await dropIn(sql, part)
    expect(dropped).toEqual(
      {
        attempt_bodies: { dropped: 0, locked: 7 },
        deliveries: { dropped: 0, locked: 6 },
        // One of the customers that was merged, and of canceled payments.
        history: { dropped: 2 + 3, locked: 0 },
      }[part],
    )
    await alone`commit`
    await instance.eraseCopies()
    await expectNothingLeft(instance)
  },
)

test('a customer is erased while all parts are dropped in many commits', async () => {
  await using instance = await agedCustomer()
  const erasing = instance.erase().then(instance.eraseCopies)
  const dropping = runRetention(instance, { transitionsAtOnce: 2 })
  await Promise.all([erasing, dropping])
  await expectNothingLeft(instance)
})
