import { listShape } from '../../fields/shape.ts'
import { planRecord } from '../../records/plan.ts'
import type { Docs } from './docs.ts'
import { lineDocs } from './invoices.ts'

/** Of plans, and of subscriptions without one. */
export const termDocs = {
  taxBehavior: 'Whether unit amounts contain the tax. Default: that of your billing settings.',
  intervalCount: 'Length of a period in intervals, from 1 to 12. Default: 1.',
  leadDays:
    'How many days before the start of a period its invoice is finalized. Shorter than a period, with months of 28 and years of 365 days. Default: 7 for `month` and `year`, 2 for `week`, 0 for `day`.',
  graceDays:
    'How many days a subscription continues after an unpaid invoice was due. Shorter than a period, as `leadDays`. Default: 7 for `month` and `year`, 3 for `week`, 0 for `day`.',
  maxPeriods: 'Number of periods after which a subscription is completed, at most 10,000. Default: no limit.',
  activation: 'When a subscription without a trial begins. Default: `on_payment`.',
  afterGrace: 'What happens to a subscription whose invoice is not paid in time. Default: `cancel`.',
  assets: 'Assets that customers can pay with. Default: every asset that the server offers.',
}

export const createPlanDocs: Docs = {
  operation: 'createPlan',
  summary: 'Create a plan',
  description:
    'The terms of a plan never change. To change a price, archive the plan and create another one. `amountMinor` is the total of the lines with tax, by the same rules as on invoices.',
  answers: { 201: planRecord },
  refusals: [
    'unsupported_currency',
    'unsupported_asset',
    'invoice_total_out_of_range',
    'parameter_missing',
    'duplicate_reference',
    'idempotency_key_reused',
  ],
  fields: {
    lines: '1 to 20 lines.',
    ...lineDocs,
    trialDays: 'Length of the free trial in days, at most 730. Default: 0.',
    ...termDocs,
    reference: 'Your own reference. It must be unique among your plans in this mode.',
  },
  example: {
    name: 'Lamp club',
    currency: 'EUR',
    lines: [{ description: 'A bulb every month', unitAmountMinor: 4900, taxRateBps: 1900 }],
    interval: 'month',
  },
}

export const listPlansDocs: Docs = {
  operation: 'listPlans',
  summary: 'List plans',
  answers: { 200: listShape(planRecord) },
}

export const getPlanDocs: Docs = {
  operation: 'getPlan',
  summary: 'Retrieve a plan',
  answers: { 200: planRecord },
}

export const updatePlanDocs: Docs = {
  operation: 'updatePlan',
  summary: 'Update a plan',
  description:
    'Changes the name, the description or the metadata, also of an archived plan. `metadata` is replaced as a whole. All other fields never change.',
  answers: { 200: planRecord },
  example: { name: 'Lamp club' },
}

export const archivePlanDocs: Docs = {
  operation: 'archivePlan',
  summary: 'Archive a plan',
  description:
    'No new subscriptions can be created; those of the plan continue. A plan that is archived already is returned unchanged.',
  answers: { 200: planRecord },
}
