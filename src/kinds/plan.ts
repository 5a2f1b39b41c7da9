import { type Plan, planMachine } from '../../machines/plan.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'

export const planKind: Kind<Plan> = {
  name: 'plan',
  table: resources.plan.table,
  machine: planMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    name: 'text',
    description: 'text',
    currency: 'text',
    taxBehavior: 'text',
    lines: 'json',
    taxes: 'json',
    subtotalMinor: 'minor',
    taxMinor: 'minor',
    totalMinor: 'minor',
    interval: 'text',
    intervalCount: 'integer',
    trialDays: 'integer',
    leadDays: 'integer',
    graceDays: 'integer',
    maxPeriods: 'integer',
    activation: 'text',
    afterGrace: 'text',
    assets: 'json',
    reference: 'text',
    metadata: 'json',
  },
  // Without the texts.
  history: [
    'currency',
    'totalMinor',
    'interval',
    'intervalCount',
    'trialDays',
    'leadDays',
    'graceDays',
    'maxPeriods',
    'activation',
    'afterGrace',
    'reference',
  ],
  refusals: { plans_reference_once: 'duplicate_reference', plan_remains: 'plan_archived' },
}
