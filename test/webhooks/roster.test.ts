import { expect, test } from 'bun:test'
import type { PostOutcome } from '../../src/webhooks/post.ts'
import { type ClaimRequest, type Flight, openRoster, type Roster } from '../../src/webhooks/roster.ts'

const outcome = (more: Partial<PostOutcome> = {}): PostOutcome => ({
  ...{ outcome: 'delivered', httpStatus: 200, responseSnippet: null, retryAfterSeconds: null, durationMs: 5 },
  ...more,
})
const nobody = outcome({ outcome: 'timeout', httpStatus: null, durationMs: 15_000 })

const named = (asked: readonly ClaimRequest[]) => asked.map(({ lane, want }) => [lane.id, want])
const noteAll = (roster: Roster, ...ids: readonly string[]) => {
  for (const id of ids) roster.note(id, 0, 0)
}
/** Gives whoever is asked for all of it, and starts that. */
const serve = (roster: Roster, now = 0, asked = roster.pick(now)): Flight[] =>
  asked.flatMap(asking => {
    roster.given(asking, { count: asking.want, lastDueMs: now })
    return Array.from({ length: asking.want }, () => roster.start(asking.lane.id, now))
  })
const many = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}`)

test('an endpoint is sent as many at once as its window is wide, and more when they are answered', () => {
  const roster = openRoster()
  noteAll(roster, 'a')
  const flights = serve(roster)
  expect(flights).toHaveLength(4)
  expect(roster.pick(0)).toEqual([])
  for (const flight of flights.slice(0, 2)) roster.end(flight, outcome())
  expect(named(roster.pick(0))).toEqual([['a', 4]])
})

test('who has no room keeps its place, and holds up nobody behind it', () => {
  const roster = openRoster()
  noteAll(roster, 'full')
  const flights = serve(roster)
  noteAll(roster, 'b')
  expect(named(roster.pick(0))).toEqual([['b', 4]])
  noteAll(roster, 'c')
  for (const flight of flights.slice(0, 1)) roster.end(flight, outcome())
  expect(named(roster.pick(0))).toEqual([
    ['full', 2],
    ['c', 4],
  ])
})

test('the longest without a turn is first', () => {
  const roster = openRoster()
  noteAll(roster, 'a', 'b', 'c')
  const flights = serve(roster)
  for (const id of ['b', 'c', 'a'])
    for (const flight of flights.filter(f => f.lane.id === id)) roster.end(flight, outcome())
  expect(named(roster.pick(0)).map(([id]) => id)).toEqual(['a', 'b', 'c'])
})

test('who was given less than it wanted is not asked for again until something is noted', () => {
  const roster = openRoster()
  noteAll(roster, 'a')
  const [asking] = roster.pick(0)
  if (!asking) throw new Error('nothing was asked for')
  roster.given(asking, { count: 1, lastDueMs: 70 })
  expect(roster.pick(0)).toEqual([])
  roster.note('a', 90, 0)
  expect(roster.pick(0)[0]?.lane.lowMs).toBe(70)
})

test('what is noted while a claim is under way is not taken for done by its answer', () => {
  const roster = openRoster()
  roster.note('a', 50, 0)
  const [asking] = roster.pick(0)
  if (!asking) throw new Error('nothing was asked for')
  roster.note('a', 40, 0)
  roster.given(asking, { count: 0, lastDueMs: 0 })
  expect(roster.pick(0)[0]?.lane.lowMs).toBe(40)
})

test('shares are fair: with a hundred endpoints at work nobody gets more than six', () => {
  const roster = openRoster()
  const ids = many(100, 'e')
  for (let round = 0; round < 40; round++) {
    noteAll(roster, ...ids)
    for (const flight of serve(roster)) roster.end(flight, outcome())
  }
  noteAll(roster, ...ids)
  const asked = roster.pick(0)
  expect(asked.map(({ want }) => want).every(want => want <= 6)).toBe(true)
  expect(asked.reduce((sum, { want }) => sum + want, 0)).toBe(256)
})

test('a request that waits for longer than a quarter of a second does not count, one that is silent costs trust', () => {
  const roster = openRoster()
  noteAll(roster, ...many(200, 'e'))
  for (let i = 0; i < 3; i++) serve(roster)
  expect(roster.pick(0)).toEqual([])
  roster.look(240)
  expect(roster.pick(0)).toEqual([])
  roster.look(260)
  expect(roster.pick(0).length).toBeGreaterThan(0)
  roster.look(1_100)
  noteAll(roster, 'healthy')
  expect(roster.pick(0).find(({ lane }) => lane.id === 'healthy')?.want).toBe(3)
})

test('of one claim, who is slow may have a part and no more', () => {
  const roster = openRoster()
  const slow = many(50, 'slow')
  for (const id of slow) roster.start(id, 0)
  roster.look(1_100)
  noteAll(roster, ...slow, 'healthy')
  const asked = roster.pick(1_100)
  const ofSlow = asked.filter(({ lane }) => lane.id !== 'healthy').reduce((sum, { want }) => sum + want, 0)
  expect(ofSlow).toBe(32)
  expect(named(asked)).toContainEqual(['healthy', 4])
})

test('who has let requests time out is tried at a pace, however many claims there are', () => {
  const roster = openRoster()
  const dead = many(400, 'dead')
  for (const id of dead) for (const flight of [roster.start(id, 0)]) roster.end(flight, nobody)
  let tried = 0
  for (let now = 0; now <= 1_000; now += 5) {
    noteAll(roster, ...dead, 'healthy')
    const asked = roster.pick(now)
    tried += asked.reduce((sum, { lane, want }) => sum + (lane.id === 'healthy' ? 0 : want), 0)
    expect(asked.some(({ lane }) => lane.id === 'healthy')).toBe(true)
  }
  expect(tried).toBe(16 + 128)
})

test('a thousand dead endpoints leave half of the sockets to the others', () => {
  const roster = openRoster()
  const dead = many(1_000, 'dead')
  let now = 0
  for (let round = 0; round < 400; round++) {
    noteAll(roster, ...dead)
    serve(roster, now)
    now += 100
    roster.look(now)
  }
  const held = roster.open()
  expect(held).toBeLessThanOrEqual(4_096 / 2 + 32)
  noteAll(roster, 'healthy')
  expect(named(roster.pick(0))).toContainEqual(['healthy', 1])
})

test('who does not answer is asked one at a time, and forgiven with the first answer', () => {
  const roster = openRoster()
  noteAll(roster, 'a')
  for (let i = 0; i < 2; i++) for (const flight of serve(roster)) roster.end(flight, nobody)
  expect(named(roster.pick(0))).toEqual([['a', 1]])
})

test('an endpoint that nothing was heard of for ten minutes is forgotten', () => {
  const roster = openRoster()
  noteAll(roster, 'a')
  for (const flight of serve(roster)) roster.end(flight, nobody)
  for (const asking of roster.pick(0)) roster.given(asking, { count: 0, lastDueMs: 0 })
  roster.look(700_000)
  roster.note('a', 5, 700_000)
  expect(roster.pick(0)[0]?.lane.lowMs).toBe(5)
})
