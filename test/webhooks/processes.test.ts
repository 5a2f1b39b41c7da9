import { afterAll, describe, expect, test } from 'bun:test'
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { until } from '../harness/until.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, deliveriesOf, sendingInstance } from './sending-instance.ts'

// The processes use the real time.
const instance = await sendingInstance({ at: new Date() })
const { sql } = instance
afterAll(() => instance[Symbol.asyncDispose]())

const program = fileURLToPath(new URL('./sender-program.ts', import.meta.url))

const senderProcess = (at = '', options = {}) => {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, DATABASE_URL: instance.url, AT: at, SENDER: JSON.stringify(options) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise<number | string | null>(resolve =>
    child.on('exit', (code, signal) => resolve(signal ?? code)),
  )
  const ready = new Promise(resolve => child.stdout.once('data', resolve))
  return {
    child,
    ready,
    exited,
    end: () => ready.then(() => child.kill('SIGTERM')),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Adds an event for a new endpoint, visible to the other processes. */
const addEvent = async (url: string, times = 1): Promise<string> => {
  instance.clock.set(new Date())
  const endpoint = await instance.addEndpoint(url)
  await instance.insertEvents(endpoint, times)
  return endpoint
}

/** A sender in this process for which every lease, and then every retry delay, is over. */
const later = async (endpoint: string) => {
  await using stack = new AsyncDisposableStack()
  const sender = stack.adopt(instance.startSender({ reapMs: 20 }), its => its.stop())
  instance.clock.set(new Date(Date.now() + 20_500))
  await until(async () => (await deliveriesOf(instance, endpoint)).every(({ state }) => state === 'pending'))
  instance.clock.advance(6_000)
  sender.wake([endpoint])
  await until(async () => (await deliveriesOf(instance, endpoint)).every(({ state }) => state === 'delivered'))
}
const outcomesOf = async (endpoint: string) => {
  const [{ id } = expect.unreachable()] = await deliveriesOf(instance, endpoint)
  return (await attemptsOf(instance, id)).map(({ outcome }) => outcome)
}
const claims = () => sql`select from delivery_claims`

describe('a process that is killed', () => {
  test.each([
    ['before the request', 0],
    ['during the request', 1],
    ['after the request', 1],
  ])('%s loses its attempt, which counts, and another attempt follows', async (moment, requests) => {
    await using shop = await receiver(moment === 'during the request' ? 'silence' : 200)
    const endpoint = await addEvent(shop.url)
    {
      await using its = senderProcess(`killed ${moment}`)
      expect(await its.exited).toBe('SIGKILL')
    }
    expect(shop.seen).toHaveLength(requests)
    shop.answer(200)
    await later(endpoint)
    expect(await outcomesOf(endpoint)).toEqual(['lost', 'delivered'])
    expect(shop.seen).toHaveLength(requests + 1)
    expect(await claims()).toHaveLength(0)
  })
})

test('a process that was frozen for long changes nothing when it resumes, and does not send what it had claimed before', async () => {
  await using shop = await receiver()
  // Longer than a busy machine needs between claim and request, and shorter than the freeze.
  const staleMs = 2_000
  await using its = senderProcess('stopped before the request', { staleMs })
  const endpoint = await addEvent(shop.url, 2)
  await until(async () => (await deliveriesOf(instance, endpoint)).every(({ state }) => state === 'sending'))
  await until(() => isStopped(its.child.pid), { everyMs: 100 })
  const stoppedAt = performance.now()
  await later(endpoint)
  expect(shop.seen).toHaveLength(2)
  await until(() => performance.now() - stoppedAt > staleMs + 100)
  its.child.kill('SIGCONT')
  await its.end()
  expect(await its.exited).toBe(0)
  // The request in progress may have been sent late; the other one was given up.
  expect(shop.seen.length).toBeLessThanOrEqual(3)
  for (const { id, rev } of await deliveriesOf(instance, endpoint)) {
    expect(rev).toBe(5)
    expect((await attemptsOf(instance, id)).map(({ outcome }) => outcome)).toEqual(['lost', 'delivered'])
  }
  // Five waits, each of which may take long on a busy machine.
}, 180_000)

const isStopped = (pid = 0): boolean =>
  execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim() === 'T'

test('a process that is stopped waits for responses and leaves no attempt open', async () => {
  await using shop = await receiver(response => setTimeout(() => response.writeHead(204).end(), 500))
  const endpoint = await addEvent(shop.url, 4)
  await using its = senderProcess()
  await until(() => shop.seen.length === 4)
  await its.end()
  expect(await its.exited).toBe(0)
  expect((await deliveriesOf(instance, endpoint)).map(({ state }) => state)).toEqual(Array(4).fill('delivered'))
  expect(await claims()).toHaveLength(0)
})

test('a process that is stopped gives up responses that take too long', async () => {
  await using shop = await receiver('silence')
  const endpoint = await addEvent(shop.url)
  await using its = senderProcess('', { stopGraceMs: 50 })
  await until(() => shop.seen.length === 1)
  await its.end()
  expect(await its.exited).toBe(0)
  expect(await outcomesOf(endpoint)).toEqual(['lost'])
  expect(await claims()).toHaveLength(0)
})

test('three processes at the same time send everything once', async () => {
  await using shop = await receiver(response => setTimeout(() => response.writeHead(200).end(), Math.random() * 5))
  await using _one = senderProcess()
  await using _two = senderProcess()
  await using _three = senderProcess()
  await Promise.all([_one.ready, _two.ready, _three.ready])
  const endpoints = await Promise.all(Array.from({ length: 6 }, () => addEvent(shop.url, 100)))
  const all = async () => (await Promise.all(endpoints.map(id => deliveriesOf(instance, id)))).flat()
  const done = await until(async () => {
    const each = await all()
    return each.every(({ state }) => state === 'delivered') && each
  })
  expect(done.every(({ attempts }) => attempts === 1)).toBe(true)
  expect(shop.seen).toHaveLength(600)
  expect(new Set(shop.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(600)
  const [{ workers } = expect.unreachable()] = await sql`
    select count(distinct worker)::integer as workers from delivery_attempts where delivery_id = any(${done.map(({ id }) => id)})`
  expect(workers).toBe(3)
})
