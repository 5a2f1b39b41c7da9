import { describe, expect, test } from 'bun:test'
import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate'
import { backoffMs, type PageEvent, pageMachine } from '../../../src/web/pay/page-machine.ts'

/** A page whose stream and server are driven by the test. */
const startPage = () => {
  const clock = new SimulatedClock()
  const calls = { streams: 0, fetches: 0, offline: false }
  let fail = false
  let isLive = true
  let send: (event: PageEvent) => void = () => {}
  const actor = createActor(
    pageMachine.provide({
      actors: {
        stream: fromCallback<PageEvent>(({ sendBack }) => {
          calls.streams++
          send = sendBack
        }),
        fetchPage: fromPromise(async () => {
          calls.fetches++
          if (fail) throw new Error('The server does not answer')
        }),
      },
      guards: { isLive: () => isLive },
      actions: {
        showOffline: () => {
          calls.offline = true
        },
        hideOffline: () => {
          calls.offline = false
        },
      },
    }),
    { clock },
  )
  actor.start()
  const settle = () => new Promise(resolve => setTimeout(resolve, 0))
  return {
    ...{ actor, clock, calls, settle },
    /** By the stream that is open. */
    stream: (event: PageEvent) => send(event),
    failing: (is: boolean) => {
      fail = is
    },
    /** The page that is fetched next has no stream. */
    becomeFinal: () => {
      isLive = false
    },
  }
}

describe('the page follows its stream', () => {
  test('it fetches itself once for each change, and once more for changes meanwhile', async () => {
    const { stream, calls, settle } = startPage()
    stream({ type: 'opened' })
    expect(calls).toEqual({ streams: 1, fetches: 0, offline: false })
    stream({ type: 'changed', id: '1' })
    stream({ type: 'changed', id: '2' })
    stream({ type: 'changed', id: '3' })
    await settle()
    expect(calls.fetches).toBe(2)
    stream({ type: 'changed', id: '4' })
    await settle()
    expect(calls.fetches).toBe(3)
  })

  test('it connects again after longer and longer waits, and says after three seconds that it is offline', async () => {
    const { stream, calls, clock } = startPage()
    stream({ type: 'opened' })
    stream({ type: 'closed', retryMs: undefined })
    clock.increment(2_900)
    expect(calls.offline).toBe(false)
    clock.increment(200)
    expect(calls.offline).toBe(true)
    expect(calls.streams).toBe(2)
    for (let attempt = 0; attempt < 8; attempt++) {
      stream({ type: 'closed', retryMs: undefined })
      clock.increment(30_000)
    }
    expect(calls.streams).toBe(10)
    stream({ type: 'opened' })
    expect(calls.offline).toBe(false)
  })

  test('a page without a stream that was fetched while offline ends the notice, and nothing connects again', async () => {
    const { stream, calls, clock, settle, becomeFinal, failing } = startPage()
    stream({ type: 'opened' })
    stream({ type: 'changed', id: '1' })
    failing(true)
    await settle()
    stream({ type: 'changed', id: '2' })
    await settle()
    stream({ type: 'closed', retryMs: 30_000 })
    clock.increment(3_100)
    expect(calls.offline).toBe(true)
    failing(false)
    becomeFinal()
    clock.increment(2_000)
    await settle()
    expect(calls.offline).toBe(false)
    clock.increment(60_000)
    expect(calls.streams).toBe(1)
  })

  test('a short interruption is not mentioned', () => {
    const { stream, calls, clock } = startPage()
    stream({ type: 'opened' })
    for (let cut = 0; cut < 5; cut++) {
      stream({ type: 'closed', retryMs: undefined })
      clock.increment(1_000)
      stream({ type: 'opened' })
      expect(calls.offline).toBe(false)
    }
    expect(calls.streams).toBe(6)
  })

  test('a server that does not answer is asked again', async () => {
    const { stream, calls, clock, settle, failing } = startPage()
    stream({ type: 'opened' })
    failing(true)
    stream({ type: 'changed', id: '1' })
    await settle()
    failing(false)
    clock.increment(5_000)
    await settle()
    expect(calls.fetches).toBe(2)
  })

  test('a payment that cannot be read any more is fetched a last time, and the stream stays closed', async () => {
    const { stream, calls, clock, settle } = startPage()
    stream({ type: 'opened' })
    stream({ type: 'gone' })
    clock.increment(100_000)
    await settle()
    expect(calls).toEqual({ streams: 1, fetches: 1, offline: false })
  })

  test('in the history of the browser it keeps no connection, and catches up when it returns', async () => {
    const { actor, stream, calls, clock, settle } = startPage()
    stream({ type: 'opened' })
    actor.send({ type: 'leave' })
    clock.increment(100_000)
    expect(calls.streams).toBe(1)
    actor.send({ type: 'return' })
    await settle()
    expect(calls).toEqual({ streams: 2, fetches: 1, offline: false })
  })
})

test('a wait grows with each attempt up to half a minute, and is never shorter than the server asked', () => {
  const wait = (attempts: number, retryMs?: number) => [0, 1].map(at => backoffMs({ attempts, retryMs }, () => at))
  expect(wait(0)).toEqual([250, 500])
  expect(wait(3)).toEqual([2_000, 4_000])
  expect(wait(30)).toEqual([15_000, 30_000])
  expect(wait(1, 5_000)).toEqual([5_000, 5_000])
})
