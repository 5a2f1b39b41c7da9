import { describe, expect, test } from 'bun:test'
import { setup } from 'xstate'
import { registered } from '../../../src/actors/kind.ts'
import { metricsRoutes } from '../../../src/http/metrics.ts'
import { routes } from '../../../src/http/routes.ts'
import { findStuck } from '../../../src/queries/ops/stuck.ts'
import { logStuckActors } from '../../../src/server/stuck-log.ts'
import { lamp } from '../../actors/lamp.ts'
import { createLamp, eventCommand, lampInstance } from '../../actors/lamps.ts'
import { readableLog } from '../../harness/lines.ts'
import { until } from '../../harness/until.ts'
import { makePayment } from '../payments.ts'
import { operator } from '../people.ts'
import { twoShops } from '../two-shops.ts'

const { server, lamps } = await twoShops({ routes: [...routes, ...metricsRoutes({})] })
const { bearer } = await operator(server.api)

const stuck = async () => {
  const { json } = await server.call('GET', '/v1/ops/stuck', { bearer })
  return (json as { data: { id: string; state: string; reason: string; since: string }[] }).data
}

/** This many stays of payments in `pending` that have ended, of 10 ms each. */
const insertStays = (stays: number) => server.sql`
  insert into machine_stays
  values ('week', date_trunc('week', now(), 'UTC'), 'payment', 'pending', duration_class(10), ${stays})
  on conflict (span, starts_at, kind, state, duration) do update set stays = excluded.stays`

describe('GET /v1/ops/stuck', () => {
  test('200: nothing while fewer than 1,000 stays have ended; then actors above the percentile, with metric and log line', async () => {
    const { id, actor } = await makePayment(server.api, { ...lamps, livemode: false }, 'picked')
    const done = await makePayment(server.api, { ...lamps, livemode: false }, 'success')
    await Bun.sleep(20)
    await insertStays(999)
    expect(await stuck()).toEqual([])
    await insertStays(1_000)
    const [found, ...others] = await stuck()
    const [{ at } = { at: new Date(0) }] = await server.sql<{ at: Date }[]>`
      select at from transitions where actor = ${actor} and rev = 1`
    // Since it entered the state, not since its last change.
    expect(found).toEqual({ kind: 'payment', id, state: 'pending', reason: 'dwell', since: at.toISOString() } as never)
    expect(others).toEqual([])
    const seen = async (of: string) =>
      (await server.call('GET', `/v1/ops/actors/${of}`, { bearer })).json as { stuck: object | null }
    expect((await seen(id)).stuck).toEqual({ reason: 'dwell', since: at.toISOString() })
    expect((await seen(done.id)).stuck).toBeNull()

    const { text } = await server.call('GET', '/metrics')
    expect(text).toContain('paymachine_actors_stuck{kind="payment",reason="dwell"} 1\n')
    expect(text).toContain('paymachine_actors_stuck{kind="refund",reason="no_exit"} 0\n')
    const { log, lines } = readableLog()
    const share = () => ({ position: 0, count: 1 })
    const logging = logStuckActors({ sql: server.sql, log }, { share, everyMs: 5 })
    await until(() => lines().some(({ msg }) => msg === 'actor stuck'))
    await Bun.sleep(50)
    await logging.stop()
    expect(lines().filter(({ msg }) => msg === 'actor stuck')).toMatchObject([
      { kind: 'payment', id: actor, state: 'pending', reason: 'dwell' },
    ])
    await insertStays(0)
  })
})

test('an actor has no exit without a timer, a job and an event that its guards allow', async () => {
  await using instance = await lampInstance()
  const machine = setup({ guards: { never: () => false, depends: ({ event }) => 'by' in event } }).createMachine({
    initial: 'off',
    states: {
      off: { on: { switch_on: { guard: 'never', target: 'on' } } },
      on: { on: { count: { guard: 'depends', target: 'off' } } },
    },
  })
  const off = await createLamp(instance.actors)
  const on = await createLamp(instance.actors)
  await instance.actors.dispatch(eventCommand(on, 'switch_on'))
  await instance.sql`delete from timers`
  const kind = registered({ ...lamp, machine, effects: {}, timers: {} })
  const found = await findStuck(instance.sql, [kind], { driven: { lamp: ['off', 'on'] }, limit: 10 })
  expect(found.map(({ id, state, reason }) => [id, state, reason])).toEqual([[off, 'off', 'no_exit']])
  expect(await findStuck(instance.sql, [kind], { driven: { lamp: [] }, limit: 10 })).toEqual([])
  await instance.sql`insert into timers values (${off}, 'burn.lamp.off', 'lamp', 1, now())`
  expect(await findStuck(instance.sql, [kind], { driven: { lamp: ['off'] }, limit: 10 })).toEqual([])
})
