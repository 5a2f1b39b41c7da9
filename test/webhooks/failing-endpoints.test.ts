import { afterAll, describe, expect, test } from 'bun:test'
import { disableFailingEndpoint } from '../../tasks/disable-failing-endpoint.ts'
import { until } from '../harness/until.ts'
import { change } from './endpoints.ts'
import { receiver } from './receiver.ts'
import { deliveriesOf, reaches, sendingInstance } from './sending-instance.ts'

const instance = await sendingInstance()
const { sql } = instance
const sender = instance.startSender()
afterAll(() => instance[Symbol.asyncDispose]())

const HOUR = 3_600_000

/** Runs the jobs that check the endpoint, as a worker would. */
const judge = async (endpointId: string): Promise<number> => {
  const jobs = await sql<{ id: string; payload: object; attempts: number }[]>`
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = 'disable-failing-endpoint' and j.payload ->> 'endpointId' = ${endpointId}
    returning j.id::text, j.payload, j.attempts`
  for (const { payload, ...job } of jobs)
    await disableFailingEndpoint(instance.world, payload, {
      job: { ...job, task_identifier: 'disable-failing-endpoint' },
      signal: new AbortController().signal,
    })
  return jobs.length
}

const reasonOf = async (id: string) => {
  const [row] = await sql<{ state: string; disabled_reason: string | null }[]>`
    select state, disabled_reason from webhook_endpoints where id = ${id}`
  return row?.disabled_reason ?? row?.state
}

/** Ends this many deliveries without success: a redirect is not retried. */
const exhaust = async (endpoint: string, times: number) => {
  const before = (await deliveriesOf(instance, endpoint)).length
  await instance.insertEvents(endpoint, times)
  await until(async () => {
    const all = await deliveriesOf(instance, endpoint)
    return all.length === before + times && all.every(({ state }) => state === 'failed' || state === 'delivered')
  })
  return judge(endpoint)
}

describe('an endpoint is disabled', () => {
  test('that has not responded with 2xx for 72 hours while ten deliveries were given up', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    await exhaust(endpoint, 9)
    instance.clock.advance(72 * HOUR + 1)
    expect(await reasonOf(endpoint)).toBe('enabled')
    expect(await exhaust(endpoint, 1)).toBe(1)
    expect(await reasonOf(endpoint)).toBe('no_success')
  })

  test('when a delivery fails whose last response was 410', async () => {
    await using shop = await receiver(410)
    const endpoint = await instance.addEndpoint(shop.url)
    await instance.insertEvents(endpoint)
    for (const [index, seconds] of [6, 72, 864, 8_640].entries()) {
      await reaches(instance, endpoint, 'pending', index + 1)
      instance.clock.advance(seconds * 1_000)
      sender.wake([endpoint])
    }
    await reaches(instance, endpoint, 'failed', 5)
    expect(await reasonOf(endpoint)).toBe('enabled')
    await judge(endpoint)
    expect(await reasonOf(endpoint)).toBe('gone')
  })
})

describe('an endpoint stays enabled', () => {
  test('before it has failed for 72 hours, however many deliveries were given up', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    instance.clock.advance(72 * HOUR - 1)
    await exhaust(endpoint, 20)
    expect(await reasonOf(endpoint)).toBe('enabled')
  })

  test('that has responded once since', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    await exhaust(endpoint, 10)
    instance.clock.advance(71 * HOUR)
    shop.answer(200)
    await exhaust(endpoint, 1)
    instance.clock.advance(2 * HOUR)
    shop.answer(302)
    await exhaust(endpoint, 20)
    expect(await reasonOf(endpoint)).toBe('enabled')
    // Only deliveries given up after its last success count.
    instance.clock.advance(70 * HOUR + 1)
    await exhaust(endpoint, 1)
    expect(await reasonOf(endpoint)).toBe('no_success')
  })

  test('for which a delivery got 410 on the way, but not at the end', async () => {
    await using shop = await receiver((response, seen) => response.writeHead(seen === 1 ? 410 : 302).end())
    const endpoint = await instance.addEndpoint(shop.url)
    await instance.insertEvents(endpoint)
    await reaches(instance, endpoint, 'pending', 1)
    instance.clock.advance(6_000)
    sender.wake([endpoint])
    await reaches(instance, endpoint, 'failed', 2)
    await judge(endpoint)
    expect(await reasonOf(endpoint)).toBe('enabled')
  })

  test('for a 410 to a manual attempt, while automatic attempts remain', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    await instance.insertEvents(endpoint, 2)
    const [canceled, barred] = await deliveriesOf(instance, endpoint)
    await instance.world.actors.dispatch({ kind: 'delivery', actor: canceled?.id ?? '', event: { type: 'cancel' } })
    // Unless it failed before the manual attempt.
    await until(async () =>
      (await deliveriesOf(instance, endpoint)).every(({ state }) => state === 'failed' || state === 'canceled'),
    )
    shop.answer(410)
    for (const id of [canceled?.id, barred?.id])
      expect(
        await instance.world.actors.dispatch({ kind: 'delivery', actor: id ?? '', event: { type: 'redeliver' } }),
      ).toMatchObject({ ok: true })
    sender.wake([endpoint])
    await until(async () =>
      (await deliveriesOf(instance, endpoint)).every(
        ({ state, trigger }) => state === 'failed' && trigger === 'manual',
      ),
    )
    expect(await judge(endpoint)).toBeGreaterThan(0)
    expect(await reasonOf(endpoint)).toBe('enabled')
  })

  test('that was enabled again, because of earlier failures', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    await exhaust(endpoint, 12)
    expect(await change(sql, endpoint, { status: 'disabled' })).toBe('changed')
    expect(await change(sql, endpoint, { status: 'enabled' })).toBe('changed')
    // With the real time, because people enable endpoints.
    instance.clock.set(new Date(Date.now() + 71 * HOUR))
    await exhaust(endpoint, 12)
    expect(await reasonOf(endpoint)).toBe('enabled')
  })
})

test('the last success of an endpoint is recorded once a minute, and changes nothing else', async () => {
  await using shop = await receiver()
  const endpoint = await instance.addEndpoint(shop.url)
  const read = () => sql<{ last_success_at: Date | null }[]>`
    select last_success_at, updated_at, xmin from webhook_endpoints where id = ${endpoint}`
  const [before] = await read()
  await exhaust(endpoint, 1)
  const [after] = await read()
  expect(after).toMatchObject({ ...before, last_success_at: instance.clock.now(), xmin: expect.anything() })
  instance.clock.advance(1_000)
  await exhaust(endpoint, 5)
  expect(await read()).toMatchObject([{ ...after }])
})
