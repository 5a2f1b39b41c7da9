import { type TestClockOpening, testClockMachine } from '../../machines/test-clock.ts'
import { type Cases, minutes, T0 } from './table.ts'

export const testClockOpening: TestClockOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  now: T0,
}

export const testClocks: Cases = {
  machine: testClockMachine,
  input: testClockOpening,
  events: {
    'advance by 5': { type: 'advance', to: minutes(5) },
    'advance by 0': { type: 'advance', to: T0 },
    'advance back': { type: 'advance', to: minutes(-1) },
    'arrive at 5': { type: 'arrive', to: minutes(5) },
    'arrive at 4': { type: 'arrive', to: minutes(4) },
    delete: { type: 'delete' },
  },
  situations: {
    new: '',
    advancing: 'advance by 5',
    deleted: 'delete',
  },
  table: `
    It is advanced to a later time. It has arrived when move_test_clock() has moved it there.
    new       | advance by 5 | advancing |  | target=+5m
    advancing | arrive at 5  | ready     |  | target=null
    advancing | delete       | deleted   |  | target=null
    new       | delete       | deleted   |  |
  `,
  minSteps: 4,
  walk: { minSteps: 3 },
  invalidRows: `
    new       | state = 'running'                      | test_clocks_state
    new       | livemode = true                        | test_clocks_mode
    new       | target = now                           | test_clocks_target
    advancing | target = null                          | test_clocks_target
    advancing | now = target + interval '1 ms'         | test_clocks_target
  `,
  duplicates: '',
}
