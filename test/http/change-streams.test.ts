import { expect, test } from 'bun:test'
import { type ChangeStreamsOptions, openChangeStreams } from '../../src/http/change-streams.ts'
import type { ChangeRow } from '../../src/queries/changes.ts'
import { until } from '../harness/until.ts'

const merchantId = '0193a000-0000-7000-8000-000000000001'
const actorOf = (n: number) => `0193a000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** A merchant whose changes are the rows of an array. */
const withRows = (options: Partial<ChangeStreamsOptions> = {}) => {
  const rows: ChangeRow[] = []
  const seen = { reads: 0, places: 0, warnings: 0 }
  const streams = openChangeStreams({
    read: async (places, limit) => {
      seen.reads++
      seen.places = places.length
      return places.map(({ after }) => rows.filter(({ seq }) => BigInt(seq) > BigInt(after.seq)).slice(0, limit))
    },
    findBegin: async () => undefined,
    findEnd: async () => ({ era: 1, xid: String(rows.length), seq: String(rows.length) }),
    areStillMembers: async readers => readers.map(() => true),
    log: { warn: () => void seen.warnings++ } as never,
    everyMs: 1,
    ...options,
  })
  const open = async (sessionId = 'one', lastId: string | null = null) =>
    reading(
      await streams.open({ merchantId, livemode: false }, { sessionId, accountId: 'anna', role: 'owner', lastId }),
    )
  /** A change of an object, in a commit of its own unless it is given. */
  const add = (actor: number, xid = rows.length + 1) => {
    const seq = String(rows.length + 1)
    rows.push({
      ...{ era: 1, xid: String(xid), seq, kind: 'payment', to: 'pending' },
      actor: actorOf(actor),
      event: null,
      deliveries: null,
    })
  }
  return { streams, open, add, rows, seen, [Symbol.dispose]: () => streams.stop() }
}

const reading = (stream: ReadableStream<Uint8Array>) => {
  const reader = stream.getReader()
  const next = async () => new TextDecoder().decode((await reader.read()).value)
  return { next, ended: reader.closed, leave: () => reader.cancel() }
}

const codeOf = async (opening: Promise<unknown>) =>
  opening.then(
    () => 'open',
    error => Object(error).code,
  )
const idsIn = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)

test('one query reads the changes for all streams of a merchant, and without streams there is none', async () => {
  using to = withRows()
  const readers = [await to.open('one'), await to.open('two')]
  for (const reader of readers) expect(await reader.next()).toBe('retry: 2000\n\nid: 1.0.0\n\n')
  to.add(1)
  for (const reader of readers) expect(idsIn(await reader.next())).toEqual(['1.1.1'])
  await until(() => to.seen.places === 1)
  for (const reader of readers) await reader.leave()
  const idle = async () => {
    const before = to.seen.reads
    await new Promise(resolve => setTimeout(resolve, 20))
    return to.seen.reads === before
  }
  await until(idle)
})

test('a page that ends within a commit is read up to that commit', async () => {
  using to = withRows({ limits: { page: 3 } })
  to.add(1, 1)
  for (const actor of [2, 3, 2, 3]) to.add(actor, 2)
  const reader = await to.open('one', '1.0.0')
  let text = ''
  while (!text.includes('id: 1.2.5')) text += await reader.next()
  // A commit of more rows than a page is read by pages.
  expect(idsIn(text)).toEqual(['1.0.0', '1.1.1', '1.2.3', '1.2.4', '1.2.5'])
})

test('a client that leaves more than the maximum unread loses its stream, and another one keeps it', async () => {
  using to = withRows({ limits: { mostUnread: 10_000 } })
  const [lazy, eager] = [await to.open('one'), await to.open('two')]
  await lazy.next()
  let text = ''
  while (to.rows.length < 200) {
    to.add(1)
    text += await eager.next()
  }
  // The end is reported when the client reads.
  expect(await lazy.next()).toBe('')
  await lazy.ended
  expect(idsIn(text).length).toBeGreaterThan(100)
})

test('an idle stream sends a comment as a heartbeat', async () => {
  using to = withRows({ beatMs: 5 })
  const reader = await to.open()
  await reader.next()
  for (let n = 0; n < 3; n++) expect(await reader.next()).toMatch(/^(:\n\n)+$/)
})

test('a stream ends after its maximum duration', async () => {
  using to = withRows({ beatMs: 5, longestMs: 20 })
  const reader = await to.open()
  while ((await reader.next()) !== '');
  await reader.ended
})

test.each([
  ['0.9.9', true],
  ['1.19.9', true],
  ['1.20.4', true],
  ['1.20.5', false],
  ['1.20.6', false],
  ['1.100.0', false],
])('where changes up to 1.20.5 were dropped, a stream after %s begins with a reset: %p', async (lastId, isReset) => {
  using to = withRows({
    findBegin: async () => ({ era: 1, xid: '20', seq: '5' }),
    findEnd: async () => ({ era: 1, xid: '100', seq: '0' }),
  })
  const text = await (await to.open('one', lastId)).next()
  expect(text.includes('event: reset')).toBe(isReset)
  expect(idsIn(text)).toEqual([isReset ? '1.100.0' : lastId])
})

test('the streams of a session, of a merchant and of the process are limited', async () => {
  using to = withRows({ limits: { mostOfSession: 2, mostOfMerchant: 3 } })
  const [first] = [await to.open('one'), await to.open('one')]
  expect(await codeOf(to.open('one'))).toBe('rate_limited')
  await to.open('two')
  expect(await codeOf(to.open('three'))).toBe('rate_limited')
  await first?.leave()
  expect(await codeOf(to.open('three'))).toBe('open')
  using small = withRows({ limits: { most: 1 } })
  await small.open()
  expect(await codeOf(small.open('two'))).toBe('service_unavailable')
})

test('a stream that cannot be opened is not counted', async () => {
  let failing = true
  using to = withRows({
    limits: { most: 1 },
    findEnd: async () => {
      if (failing) throw new Error('the database is unreachable')
      return { era: 1, xid: '0', seq: '0' }
    },
  })
  expect(await codeOf(to.open())).toBeUndefined()
  failing = false
  expect(await codeOf(to.open())).toBe('open')
})

test('a failing query is logged once, and the clients get the changes when it works again', async () => {
  let failing = false
  const checks = { count: 0 }
  using to = withRows({
    areStillMembers: async readers => {
      checks.count++
      if (failing) throw new Error('the database is unreachable')
      return readers.map(() => true)
    },
  })
  const reader = await to.open()
  await reader.next()
  failing = true
  to.add(1)
  const from = checks.count
  await until(() => checks.count > from + 3)
  expect(to.seen.warnings).toBe(1)
  failing = false
  expect(idsIn(await reader.next())).toEqual(['1.1.1'])
})

test('after stop() all streams have ended and no new one opens', async () => {
  using to = withRows()
  const readers = [await to.open('one'), await to.open('two')]
  to.streams.stop()
  for (const reader of readers) {
    while ((await reader.next()) !== '');
    await reader.ended
  }
  expect(await codeOf(to.open())).toBe('service_unavailable')
})
