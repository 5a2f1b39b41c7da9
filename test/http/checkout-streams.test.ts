import { expect, test } from 'bun:test'
import { openStreams, type Streams, type StreamsOptions } from '../../src/http/checkout-streams.ts'
import { until } from '../harness/until.ts'

/** Streams of something whose state is a number. */
const counting = (options: Partial<StreamsOptions> = {}) => {
  const seen = (state: number) => ({
    key: String(state),
    say: () => ({ id: String(state), data: JSON.stringify({ state }) }),
  })
  const now = { state: 0, looks: [] as (readonly string[])[], warnings: 0 }
  const streams = openStreams({
    look: async ids => {
      now.looks.push(ids)
      return new Map(ids.map(id => [id, seen(now.state)]))
    },
    log: { warn: () => void now.warnings++ } as never,
    everyMs: 1,
    ...options,
  })
  const open = (paymentId = 'one', network: string | undefined = undefined, lastId: string | null = null) =>
    reading(streams.open(paymentId, seen(now.state), { origin: originOf(network), lastId }))
  return { now, streams, open, [Symbol.dispose]: () => streams.stop() }
}

const reading = (stream: ReadableStream<Uint8Array>) => {
  const reader = stream.getReader()
  const next = async () => new TextDecoder().decode((await reader.read()).value)
  return { next, ended: reader.closed, leave: () => reader.cancel() }
}

const event = (state: number) => `id: ${state}\nevent: payment\ndata: {"state":${state}}\n\n`
const originOf = (network: string | undefined) => (network === undefined ? undefined : { network, site: network })
const codeOf = (streams: Streams, network?: string) => {
  const to = { origin: originOf(network), lastId: null }
  try {
    void streams.open('other', { key: '', say: () => ({ id: '', data: '' }) }, to).cancel()
    return 'open'
  } catch (error) {
    return Object(error).code
  }
}

test('one look is for all who listen, and nobody looks while nobody does', async () => {
  using to = counting()
  const readers = [to.open('one'), to.open('one'), to.open('two')]
  for (const reader of readers) expect(await reader.next()).toBe(`retry: 2000\n\n${event(0)}`)
  await until(() => to.now.looks.length > 2)
  expect(to.now.looks.at(-1)).toEqual(['one', 'two'])
  to.now.state = 1
  for (const reader of readers) expect(await reader.next()).toBe(event(1))
  for (const reader of readers.slice(0, 2)) await reader.leave()
  await until(() => to.now.looks.at(-1)?.length === 1)
  await readers[2]?.leave()
  const idle = async () => {
    const before = to.now.looks.length
    await new Promise(resolve => setTimeout(resolve, 20))
    return to.now.looks.length === before
  }
  await until(idle)
  const again = to.open('one')
  await again.next()
  to.now.state = 2
  expect(await again.next()).toBe(event(2))
})

test('who knows the state already is told the next one, and of two that pass meanwhile the latter', async () => {
  using to = counting()
  const knows = to.open('one', undefined, '0')
  const slow = to.open('one')
  expect(await knows.next()).toBe('retry: 2000\n\n')
  const fast = to.open('one')
  await fast.next()
  for (const state of [1, 2]) {
    to.now.state = state
    expect(await fast.next()).toBe(event(state))
  }
  expect(await slow.next()).toBe(`retry: 2000\n\n${event(2)}`)
  expect(await knows.next()).toBe(event(2))
})

test('who comes with an older state than the others know is told the newest', async () => {
  using to = counting()
  const first = to.open('one')
  await first.next()
  to.now.state = 1
  expect(await first.next()).toBe(event(1))
  to.now.state = 0
  const late = to.open('one')
  to.now.state = 1
  expect(await late.next()).toContain(event(0))
  expect(await late.next()).toBe(event(1))
})

test('a connection on which nothing happens shows that it lives', async () => {
  using to = counting({ beatMs: 5 })
  const reader = to.open()
  await reader.next()
  for (let n = 0; n < 3; n++) expect(await reader.next()).toBe(':\n\n')
})

test('nobody stays for longer than they may', async () => {
  using to = counting({ beatMs: 5, longestMs: 20 })
  const reader = to.open()
  while ((await reader.next()) !== '');
  await reader.ended
})

test('who reads nothing loses their place', async () => {
  using to = counting({ beatMs: 5, limits: { most: 1 } })
  const stuck = to.open()
  expect(codeOf(to.streams)).toBe('service_unavailable')
  await until(() => codeOf(to.streams) === 'open')
  // And is told so, should they ever read.
  expect(await stuck.next()).toBe('')
})

test('one who reads keeps their place, however slowly', async () => {
  using to = counting({ beatMs: 50, limits: { most: 1 } })
  const reader = to.open()
  for (let n = 0; n < 6; n++) await reader.next()
  expect(codeOf(to.streams)).toBe('service_unavailable')
})

test('an address has so many, the process has so many, and a place that was left is free', async () => {
  using to = counting({ limits: { most: 4, mostOfNetwork: 2 } })
  const [first] = [to.open('one', 'here'), to.open('two', 'here'), to.open('one', undefined)]
  expect([codeOf(to.streams, 'here'), codeOf(to.streams, 'there'), codeOf(to.streams)]).toEqual([
    ...['rate_limited', 'open', 'open'],
  ])
  await first?.leave()
  expect(codeOf(to.streams, 'here')).toBe('open')
  for (const paymentId of ['three', 'four']) to.open(paymentId)
  expect(codeOf(to.streams, 'there')).toBe('service_unavailable')
})

test('a look that fails is told to the log once, and to those who listen never', async () => {
  let failing = false
  const state = { looks: 0 }
  using to = counting({
    look: async ids => {
      state.looks++
      if (failing) throw new Error('the database is away')
      return new Map(ids.map(id => [id, { key: `${state.looks}`, say: () => ({ id: `${state.looks}`, data: '{}' }) }]))
    },
  })
  const reader = to.open()
  await reader.next()
  failing = true
  const from = state.looks
  await until(() => state.looks > from + 3)
  expect(to.now.warnings).toBe(1)
  failing = false
  const since = state.looks
  for (let text = ''; !(Number(/id: (\d+)/.exec(text)?.[1]) > since); ) text = await reader.next()
})

test('once it is stopped all have ended, and nobody comes in', async () => {
  using to = counting()
  const readers = [to.open('one'), to.open('two')]
  await readers[0]?.next()
  to.streams.stop()
  for (const reader of readers) {
    while ((await reader.next()) !== '');
    await reader.ended
  }
  expect(codeOf(to.streams)).toBe('service_unavailable')
})
