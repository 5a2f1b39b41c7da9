import { expect, test } from 'bun:test'
import { openStreams, type Streams, type StreamsOptions } from '../../src/http/checkout-streams.ts'
import { until } from '../harness/until.ts'

/** Streams of objects whose state is a number. */
const counting = (options: Partial<StreamsOptions> = {}) => {
  const seen = (state: number) => ({
    ...{ rev: state, key: String(state) },
    say: () => ({ id: String(state), data: JSON.stringify({ state }) }),
  })
  const now = { state: 0, looks: [] as (readonly string[])[], warnings: 0 }
  const streams = openStreams({
    look: async revisions => {
      now.looks.push([...revisions.keys()])
      const changed = [...revisions].filter(([, rev]) => rev !== now.state)
      return new Map(changed.map(([id]) => [id, seen(now.state)]))
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
    void streams.open('other', { rev: 0, key: '', say: () => ({ id: '', data: '' }) }, to).cancel()
    return 'open'
  } catch (error) {
    return Object(error).code
  }
}

test('one query serves all listeners, and without listeners there is no query', async () => {
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

test('a listener that knows the state gets the next one; of two quick changes it gets the latest', async () => {
  using to = counting()
  const upToDate = to.open('one', undefined, '0')
  const slow = to.open('one')
  expect(await upToDate.next()).toBe('retry: 2000\n\n')
  const fast = to.open('one')
  await fast.next()
  for (const state of [1, 2]) {
    to.now.state = state
    expect(await fast.next()).toBe(event(state))
  }
  expect(await slow.next()).toBe(`retry: 2000\n\n${event(2)}`)
  expect(await upToDate.next()).toBe(event(2))
})

test('a listener that resumes from an older state gets the newest one', async () => {
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

test('an idle stream sends heartbeats', async () => {
  using to = counting({ beatMs: 5 })
  const reader = to.open()
  await reader.next()
  for (let n = 0; n < 3; n++) expect(await reader.next()).toBe(':\n\n')
})

test('what has not changed is read again with each heartbeat only', async () => {
  const looks: number[] = []
  using to = counting({
    beatMs: 40,
    look: async revisions => {
      const [rev = Number.NaN] = revisions.values()
      looks.push(rev)
      return new Map(rev === 7 ? [] : [['one', { rev: 7, key: '7', say: () => ({ id: '7', data: '{}' }) }]])
    },
  })
  const reader = to.open()
  await reader.next()
  await until(() => looks.filter(rev => rev !== 7).length > 2)
  // Without that it would be read by each of the many looks between two heartbeats.
  expect(looks.filter(rev => rev === 7).length).toBeGreaterThan(0)
  expect(looks.slice(0, 2)).toEqual([-1, 7])
})

test('a stream ends after its maximum duration', async () => {
  using to = counting({ beatMs: 5, longestMs: 20 })
  const reader = to.open()
  while ((await reader.next()) !== '');
  await reader.ended
})

test('a listener that reads nothing loses its stream', async () => {
  using to = counting({ beatMs: 5, limits: { most: 1 } })
  const unread = to.open()
  expect(codeOf(to.streams)).toBe('service_unavailable')
  await until(() => codeOf(to.streams) === 'open')
  // A later read reports it.
  expect(await unread.next()).toBe('')
})

test('a slow listener keeps its stream', async () => {
  using to = counting({ beatMs: 50, limits: { most: 1 } })
  const reader = to.open()
  for (let n = 0; n < 6; n++) await reader.next()
  expect(codeOf(to.streams)).toBe('service_unavailable')
})

test('the streams of one address and of the process are limited, and a closed stream is released', async () => {
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

test('a failing query is logged once and does not reach the listeners', async () => {
  let failing = false
  const state = { looks: 0 }
  using to = counting({
    look: async revisions => {
      const rev = ++state.looks
      if (failing) throw new Error('the database is unreachable')
      const seen = { rev, key: `${rev}`, say: () => ({ id: `${rev}`, data: '{}' }) }
      return new Map([...revisions.keys()].map(id => [id, seen]))
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

test('after stop() all streams have ended and no new one opens', async () => {
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
