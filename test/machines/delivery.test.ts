import { describe, expect, test } from 'bun:test'
import { deliveries } from './delivery-cases.ts'
import { arrive, creation, differences, shortestPaths } from './table.ts'

describe('delivery', () => {
  test('a new delivery is due immediately and wakes the sender', () => {
    expect(creation(deliveries)).toEqual({ to: 'pending', effects: '!wakeSender', changes: '' })
    expect(arrive(deliveries, '').context.nextAttemptAt).toEqual(new Date('2026-11-20T12:00:00.000Z'))
  })

  test('every event has the listed outcome in every situation, and is refused where none is listed', () => {
    expect(
      differences(
        deliveries,
        `
      An attempt is counted when it starts, and it starts when it is due.
      new                                         | start               | sending   |                | attempts=1 automaticAttempts=1 nextAttemptAt=null sendingSince=+0m
      new                                         | start later         | sending   |                | attempts=1 automaticAttempts=1 nextAttemptAt=null sendingSince=+180m
      waiting                                     | start later         | sending   |                | attempts=2 automaticAttempts=2 nextAttemptAt=null sendingSince=+180m
      hurried, redelivered due                    | start               | sending   |                | attempts=2 nextAttemptAt=null sendingSince=+0m
      hurried, hurried ahead, redelivered due     | start later         | sending   |                | attempts=2 nextAttemptAt=null sendingSince=+180m
      revived ahead                               | start later         | sending   |                | attempts=6 nextAttemptAt=null sendingSince=+180m

      It succeeds.
      sending, uncanceled sending                 | 1 succeeds          | delivered |                | sendingSince=null deliveredAt=+0m
      canceling                                   | 1 succeeds          | delivered |                | sendingSince=null cancelRequested=false deliveredAt=+0m
      second                                      | 2 succeeds          | delivered |                | sendingSince=null deliveredAt=+0m
      hurried sending                             | 2 succeeds          | delivered |                | resumeAt=null sendingSince=null deliveredAt=+0m
      redelivered sending                         | 2 succeeds          | delivered |                | sendingSince=null

      It fails: the next one comes after 5 s, 60 s, 12 min and 2 h, a fifth later at most, or when Retry-After requests it.
      sending                                     | 1 fails             | pending   |                | nextAttemptAt=+5s sendingSince=null
      sending                                     | 1 lost              | pending   |                | nextAttemptAt=+5s sendingSince=null
      sending                                     | 1 fails with full jitter | pending   |                | nextAttemptAt=+6s sendingSince=null
      sending                                     | 1 asks for 7 s      | pending   |                | nextAttemptAt=+7s sendingSince=null
      sending                                     | 1 asks for a day    | pending   |                | nextAttemptAt=+10s sendingSince=null
      second                                      | 2 fails             | pending   |                | nextAttemptAt=+1m sendingSince=null
      second                                      | 2 lost in minute 1  | pending   |                | nextAttemptAt=+2m sendingSince=null
      third                                       | 3 fails             | pending   |                | nextAttemptAt=+12m sendingSince=null
      fourth                                      | 4 fails             | pending   |                | nextAttemptAt=+120m sendingSince=null
      fifth                                       | 5 fails, 5 lost     | failed    | !checkEndpoint | sendingSince=null

      A redirect or a forbidden address ends it.
      sending, uncanceled sending                 | 1 barred            | failed    | !checkEndpoint | sendingSince=null
      second                                      | 2 barred            | failed    | !checkEndpoint | sendingSince=null
      hurried sending                             | 2 barred            | failed    | !checkEndpoint | resumeAt=null sendingSince=null

      Its endpoint goes away; what is under way comes to its end first.
      new, waiting                                | cancel              | canceled  |                | nextAttemptAt=null
      hurried, hurried ahead                      | cancel              | canceled  |                | nextAttemptAt=null resumeAt=null
      revived ahead                               | cancel              | canceled  |                | nextAttemptAt=null
      redelivered due                             | cancel              | delivered |                | nextAttemptAt=null
      sending, second, third, fourth, fifth       | cancel              | stays     |                | cancelRequested=true
      hurried sending, redelivered sending        | cancel              | stays     |                | cancelRequested=true
      revived sending, uncanceled sending         | cancel              | stays     |                | cancelRequested=true
      canceling                                   | 1 fails             | canceled  |                | sendingSince=null cancelRequested=false
      canceling                                   | 1 fails with full jitter | canceled  |                | sendingSince=null cancelRequested=false
      canceling                                   | 1 asks for 7 s      | canceled  |                | sendingSince=null cancelRequested=false
      canceling                                   | 1 asks for a day    | canceled  |                | sendingSince=null cancelRequested=false
      canceling                                   | 1 lost, 1 barred    | canceled  |                | sendingSince=null cancelRequested=false

      Asked for by hand it is one request more; what was planned stays planned, what was delivered stays delivered.
      waiting                                     | redeliver           | stays     | !wakeSender    | trigger=manual nextAttemptAt=+0m resumeAt=+5s
      delivered, failed, barred, canceled         | redeliver           | pending   | !wakeSender    | trigger=manual nextAttemptAt=+0m
      waiting                                     | redeliver in 2 s    | stays     | !wakeSender    | trigger=manual nextAttemptAt=+2s resumeAt=+5s
      delivered, failed, barred, canceled         | redeliver in 2 s    | pending   | !wakeSender    | trigger=manual nextAttemptAt=+2s
      hurried ahead, revived ahead                | redeliver           | stays     | !wakeSender    | nextAttemptAt=+0m
      hurried sending                             | 2 fails             | pending   |                | trigger=automatic nextAttemptAt=+5s resumeAt=null sendingSince=null
      hurried sending                             | 2 lost in minute 1  | pending   |                | trigger=automatic nextAttemptAt=+1m resumeAt=null sendingSince=null
      redelivered sending                         | 2 fails, 2 barred   | delivered |                | sendingSince=null
      redelivered sending                         | 2 lost in minute 1  | delivered |                | sendingSince=null
      revived sending                             | 6 fails             | failed    | !checkEndpoint | sendingSince=null
      uncanceled sending                          | 1 fails, 1 lost     | failed    | !checkEndpoint | sendingSince=null
      uncanceled sending                          | 1 fails with full jitter | failed    | !checkEndpoint | sendingSince=null
      uncanceled sending                          | 1 asks for 7 s      | failed    | !checkEndpoint | sendingSince=null
      uncanceled sending                          | 1 asks for a day    | failed    | !checkEndpoint | sendingSince=null
      `,
      ),
    ).toEqual([])
  })

  test('every state is reached', () => {
    expect(shortestPaths(deliveries)).toEqual({
      pending: '',
      sending: 'start',
      delivered: 'start, 1 succeeds',
      failed: 'start, 1 barred',
      canceled: 'cancel',
    })
  })
})
