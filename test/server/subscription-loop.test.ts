import { expect, test } from 'bun:test'
import { decodeId } from '../../src/ids.ts'
import { connect } from '../../src/postgres/connect.ts'
import { recordTimerRun } from '../../src/queries/subscription-runs.ts'
import { runSubscriptions } from '../../src/server/subscription-loop.ts'
import { unusedPort } from '../harness/unused-port.ts'
import { aLamp } from '../http/invoices.ts'
import { monthly, subscriptionShops } from '../http/subscription-shop.ts'

const { api, sql, made } = await subscriptionShops()
const HOUR_MS = 3_600_000

/** A subscription that costs nothing, so that it is active when its trial has ended. */
const trial = async (trialEndsAt: Date): Promise<string> => {
  const lines = [{ ...aLamp, unitAmountMinor: 0 }]
  const { id } = await made({ ...monthly, lines, trialEndsAt: trialEndsAt.toISOString() })
  return decodeId('sub', id) ?? ''
}

/** Fires what is due at a time that has not come yet. */
const fireAt = async (at: Date, options: Parameters<typeof runSubscriptions>[1] = {}): Promise<void> => {
  const loop = runSubscriptions({ ...api, clock: { ...api.clock, now: () => at } }, options)
  while ((await loop.runOnce()) > 0);
}

test('fires the timers of its share, and overdue ones of others', async () => {
  const endsAt = new Date(Date.now() + HOUR_MS)
  const ids = await Promise.all(Array.from({ length: 24 }, () => trial(endsAt)))
  const listActive = async () =>
    (await sql<{ id: string }[]>`select id from subscriptions where id = any(${ids}::uuid[]) and state = 'active'`).map(
      ({ id }) => id,
    )
  const own = await sql<{ id: string }[]>`
    select id from unnest(${ids}::uuid[]) id where (hashtext(id::text) & 2147483647) % 2 = 1`
  const share = () => ({ index: 1, of: 2 })
  await fireAt(new Date(endsAt.getTime() + 1_000), { share })
  expect((await listActive()).sort()).toEqual(own.map(({ id }) => id).sort())
  await fireAt(new Date(endsAt.getTime() + 2_000), { share })
  expect(await listActive()).toHaveLength(ids.length)
})

test('fires timers in the order of time, also those of a subscription that was created later', async () => {
  const endsAt = Date.now() + HOUR_MS
  const late = await trial(new Date(endsAt + 2_000))
  const early = await trial(new Date(endsAt + 1_000))
  await fireAt(new Date(endsAt + 3_000), { pageSize: 1, atOnce: 1 })
  const begun = await sql<{ actor: string }[]>`
    select actor from events
    where actor in (${early}, ${late}) and type = 'subscription.activated' order by seq`
  expect(begun.map(({ actor }) => actor)).toEqual([early, late])
})

test('a round that takes long is no outage', async () => {
  const endsAt = new Date(Date.now() + HOUR_MS)
  for (let n = 0; n < 2; n++) await trial(endsAt)
  // As if each timer took nine minutes.
  const dispatchBundle: typeof api.actors.dispatchBundle = async commands => {
    await sql`update subscription_runs set last_at = last_at - interval '9 min'`
    return api.actors.dispatchBundle(commands)
  }
  const slow = { ...api, clock: { ...api.clock, now: () => endsAt }, actors: { ...api.actors, dispatchBundle } }
  await sql`delete from subscription_runs`
  expect(await runSubscriptions(slow, { pageSize: 1, atOnce: 1 }).runOnce()).toBeGreaterThanOrEqual(2)
  expect(await recordTimerRun(sql)).toBeUndefined()
})

/** The names of its timers that are due, in the order in which they are fired. */
const timersOf = (id: string) => sql`
  select name, failures, due_at <> retry_at as kept from timers where actor = ${id} order by due_at, name desc`

test('what is due after a timer that fails waits for it, and follows when it is fired', async () => {
  const endsAt = new Date(Date.now() + HOUR_MS)
  const id = await trial(endsAt)
  // The invoice and the beginning of the period are due, and the first one fails.
  const failing = { ...api.actors, dispatchBundle: () => Promise.reject(new Error('a fault of the program')) }
  const at = new Date(endsAt.getTime() + 1_000)
  const now = () => at
  const before = await timersOf(id)
  await runSubscriptions({ ...api, clock: { ...api.clock, now }, actors: failing }, { atOnce: 1 }).runOnce()
  const after = await timersOf(id)
  expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name))
  expect(after.filter(({ failures }) => failures > 0)).toMatchObject([{ failures: 1, kept: true }])
  await fireAt(at)
  expect(await stateOf(id)).toBe('trialing')
  await fireAt(new Date(at.getTime() + 60_000))
  expect(await stateOf(id)).toBe('active')
})

test('a statement that fails because the database is away postpones no timer', async () => {
  const endsAt = new Date(Date.now() + HOUR_MS)
  const id = await trial(endsAt)
  const away = connect(`postgres://127.0.0.1:${await unusedPort()}/none`, { max: 1 })
  const error = await away`select`.catch(refused => refused)
  await away.end({ timeout: 0 })
  const failing = { ...api.actors, dispatchBundle: () => Promise.reject(error) }
  const at = new Date(endsAt.getTime() + 1_000)
  await runSubscriptions({ ...api, clock: { ...api.clock, now: () => at }, actors: failing }, { atOnce: 1 }).runOnce()
  expect((await timersOf(id)).filter(({ failures }) => failures > 0)).toEqual([])
  await fireAt(at)
  expect(await stateOf(id)).toBe('active')
})

const stateOf = async (id: string): Promise<string | undefined> =>
  (await sql<{ state: string }[]>`select state from subscriptions where id = ${id}`)[0]?.state
