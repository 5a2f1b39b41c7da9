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

/** Runs the jobs that ask for a judgement of the endpoint, as a worker would. */
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

/** So many deliveries end without success, all at once: a redirect is not tried again. */
const exhaust = async (endpoint: string, times: number) => {
  const before = (await deliveriesOf(instance, endpoint)).length
  await instance.tell(endpoint, times)
  await until(async () => {
    const all = await deliveriesOf(instance, endpoint)
    return all.length === before + times && all.every(({ state }) => state === 'failed' || state === 'delivered')
  })
  return judge(endpoint)
}

describe('an endpoint is disabled', () => {
  test('that has answered nothing with a 2xx for 72 hours, and given up ten deliveries since', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    await exhaust(endpoint, 9)
    instance.clock.advance(72 * HOUR + 1)
    expect(await reasonOf(endpoint)).toBe('enabled')
    expect(await exhaust(endpoint, 1)).toBe(1)
    expect(await reasonOf(endpoint)).toBe('no_success')
  })

  test('when a delivery is given up that it answered with 410', async () => {
    await using shop = await receiver(410)
    const endpoint = await instance.addEndpoint(shop.url)
    await instance.tell(endpoint)
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

describe('an endpoint is left enabled', () => {
  test('before it has been silent for 72 hours, whatever was given up', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    instance.clock.advance(72 * HOUR - 1)
    await exhaust(endpoint, 20)
    expect(await reasonOf(endpoint)).toBe('enabled')
  })

  test('that has answered once since', async () => {
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
    // What was given up before it answered counts for nothing, what was since does.
    instance.clock.advance(70 * HOUR + 1)
    await exhaust(endpoint, 1)
    expect(await reasonOf(endpoint)).toBe('no_success')
  })

  test('for which a single delivery failed with 410 on the way and not in the end', async () => {
    await using shop = await receiver((response, seen) => response.writeHead(seen === 1 ? 410 : 302).end())
    const endpoint = await instance.addEndpoint(shop.url)
    await instance.tell(endpoint)
    await reaches(instance, endpoint, 'pending', 1)
    instance.clock.advance(6_000)
    sender.wake([endpoint])
    await reaches(instance, endpoint, 'failed', 2)
    await judge(endpoint)
    expect(await reasonOf(endpoint)).toBe('enabled')
  })

  test('for a 410 to what was asked for by hand, while the automatic attempts are not used up', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    await instance.tell(endpoint, 2)
    const [canceled, barred] = await deliveriesOf(instance, endpoint)
    await instance.world.actors.dispatch({ kind: 'delivery', actor: canceled?.id ?? '', event: { type: 'cancel' } })
    // Unless somebody was faster, and it failed too.
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

  test('that was enabled anew, by what was before', async () => {
    await using shop = await receiver(302)
    const endpoint = await instance.addEndpoint(shop.url)
    await exhaust(endpoint, 12)
    expect(await change(sql, endpoint, { status: 'disabled' })).toBe('changed')
    expect(await change(sql, endpoint, { status: 'enabled' })).toBe('changed')
    // By the time there is, since people do that.
    instance.clock.set(new Date(Date.now() + 71 * HOUR))
    await exhaust(endpoint, 12)
    expect(await reasonOf(endpoint)).toBe('enabled')
  })
})

test('that an endpoint answers is noted once a minute, and changes nothing else of it', async () => {
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
