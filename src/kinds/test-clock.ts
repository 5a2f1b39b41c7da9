import { type } from 'arktype'
import { type TestClock, testClockMachine } from '../../machines/test-clock.ts'
import type { Actor, Kind } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { example } from '../fields/examples.ts'
import { recordOf } from '../fields/record.ts'
import { time } from '../fields/wire.ts'
import { resources } from '../resources.ts'

export const testClockKind: Kind<TestClock> = {
  name: 'test_clock',
  table: resources.test_clock.table,
  machine: testClockMachine,
  version: 1,
  columns: { merchantId: 'uuid', livemode: 'boolean', now: 'time', target: 'time' },
  // Without `now`, which moves without events.
  history: ['target'],
}

export const testClockRecord = recordOf<Actor<TestClock>>()('TestClock', {
  object: constantField('test_clock'),
  id: idField('test_clock', clock => clock.id),
  now: {
    type: time,
    about: 'Time that the clock shows. It changes only while the clock is advancing.',
    example: example.at,
    of: ({ context }) => context.now.toISOString(),
  },
  status: {
    type: () => type("'ready' | 'advancing'"),
    about:
      '`ready`: the clock stands still and can be advanced. `advancing`: it moves to the requested time, and what becomes due on the way is applied in order.',
    example: 'ready',
    of: ({ state }) => (state === 'advancing' ? 'advancing' : 'ready'),
  },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})
