import { type Plan, planMachine } from '../../machines/plan.ts'
import type { Cases } from './table.ts'

export const planOpening: Plan = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  name: 'Lamp club',
  description: null,
  currency: 'USD',
  taxBehavior: 'exclusive',
  lines: [
    {
      ...{ id: 'line_1', description: 'A bulb', quantity: '1', unitAmountMinor: 1000, amountMinor: 1000 },
      ...{ taxRateBps: 0, taxCategory: 'zero', taxNote: null, periodStart: null, periodEnd: null },
    },
  ],
  taxes: [{ taxCategory: 'zero', taxRateBps: 0, netMinor: 1000, taxMinor: 0 }],
  subtotalMinor: 1000,
  taxMinor: 0,
  totalMinor: 1000,
  interval: 'month',
  intervalCount: 1,
  trialDays: 0,
  leadDays: 7,
  graceDays: 7,
  maxPeriods: null,
  activation: 'on_payment',
  afterGrace: 'cancel',
  assets: null,
  reference: 'club',
  metadata: {},
}

export const plans: Cases = {
  machine: planMachine,
  input: planOpening,
  events: {
    rename: { type: 'update', changes: { name: 'Bulb club' } },
    describe: { type: 'update', changes: { description: 'Bulbs', metadata: {} } },
    archive: { type: 'archive' },
  },
  situations: { active: '', archived: 'archive' },
  table: `
    active, archived | rename   | stays    | | name=Bulb club
    active, archived | describe | stays    | | description=Bulbs
    active           | archive  | archived | |
  `,
  minSteps: 5,
  walk: { minSteps: 10 },
  invalidRows: `
    active   | state = 'paused'                                            | plans_state
    active   | name = ''                                                   | plans_texts
    active   | name = repeat('a', 201)                                     | plans_texts
    active   | description = repeat('a', 1001)                             | plans_texts
    active   | reference = repeat('a', 201)                                | plans_texts
    active   | currency = 'dollar'                                         | plans_currency
    active   | tax_behavior = 'none'                                       | plans_tax_behavior
    active   | lines = '[]'                                                | plans_lines
    active   | tax_minor = 1                                               | plans_total
    active   | subtotal_minor = -1, total_minor = -1                       | plans_total
    active   | "interval" = 'hour', lead_days = 0, grace_days = 0          | plans_interval
    active   | interval_count = 0, lead_days = 0, grace_days = 0           | plans_days
    active   | interval_count = 13                                         | plans_interval
    active   | trial_days = 731                                            | plans_trial
    active   | lead_days = 28                                              | plans_days
    active   | grace_days = 28                                             | plans_days
    active   | lead_days = -1                                              | plans_days
    active   | "interval" = 'week', lead_days = 0                          | plans_days
    active   | "interval" = 'day', lead_days = 0, grace_days = 1           | plans_days
    active   | "interval" = 'year', interval_count = 2, grace_days = 730   | plans_days
    active   | max_periods = 0                                             | plans_max_periods
    active   | activation = 'later'                                        | plans_activation
    archived | after_grace = 'nothing'                                     | plans_after_grace
  `,
  duplicates: `
    active | name = 'x' | reference = null              | plans_reference_once
    active | name = 'x' | reference = 'other'           | plans_reference_once
    active | name = 'x' | livemode = true               | plans_reference_once
    active | name = 'x' | merchant_id = gen_random_uuid() | plans_reference_once
  `,
}
