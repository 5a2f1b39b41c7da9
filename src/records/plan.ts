import { type Type, type } from 'arktype'
import { type Plan, planMachine } from '../../machines/plan.ts'
import type { Actor } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { chainId, count, currency, minor, text, textOrNull, texts } from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { lazy } from '../lazy.ts'
import { invoiceLineFields } from './invoice.ts'

export const planStatus = lazy(() => type.enumerated(...Object.keys(planMachine.states)))

const { periodStart: _, periodEnd: __, ...lineFields } = invoiceLineFields

const line = groupOf<Plan['lines'][number]>()({
  ...lineFields,
  id: { ...lineFields.id, about: 'ID of the line, unique within the plan.' },
})

/** `publicUrl`: base URL for customers, without a slash at the end. */
type PlanFacts = { readonly publicUrl: string; readonly subscriptionsCount: number }

export const planRecord = recordOf<Actor<Plan>, PlanFacts>()('Plan', {
  object: constantField('plan'),
  id: idField('plan', plan => plan.id),
  merchantId: actorFields.merchantId,
  name: {
    type: text,
    about: 'Name of the plan, for customers.',
    example: 'Lamp club',
    of: ({ context }) => context.name,
  },
  description: {
    type: textOrNull,
    about: 'What customers get, in detail. Null if not set.',
    example: 'A new bulb every month.',
    of: ({ context }) => context.description,
  },
  status: {
    type: planStatus,
    about:
      '`active`: customers can subscribe. `archived`: no new subscriptions; those that it has continue. A plan cannot be made active again.',
    example: 'active',
    of: ({ state }) => state,
  },
  currency: { type: currency, example: 'EUR', of: ({ context }) => context.currency },
  lines: {
    inside: line.inside,
    type: () => line.type().array(),
    about: 'Lines of the invoice of each period.',
    example: [line.example],
    of: ({ context }) => context.lines.map(each => line.render(each)),
  },
  taxBehavior: {
    type: (): Type<'exclusive' | 'inclusive'> => type("'exclusive' | 'inclusive'"),
    about: 'Whether the unit amounts of the lines contain the tax (`inclusive`) or not (`exclusive`).',
    example: 'exclusive',
    of: ({ context }) => context.taxBehavior,
  },
  amountMinor: {
    type: minor,
    about: 'Price of one period with tax, in the minor unit of the currency: the total of its invoice.',
    example: 5831,
    of: ({ context }) => context.totalMinor,
  },
  interval: {
    type: (): Type<Plan['interval']> => type("'day' | 'week' | 'month' | 'year'"),
    about: 'Unit of the length of a period, by the calendar of UTC.',
    example: 'month',
    of: ({ context }) => context.interval,
  },
  intervalCount: {
    type: count,
    about: 'Length of a period in intervals: 3 with `month` is a quarter.',
    example: 1,
    of: ({ context }) => context.intervalCount,
  },
  trialDays: {
    type: count,
    about: 'Length of the free trial in days. 0: there is none.',
    example: 14,
    of: ({ context }) => context.trialDays,
  },
  leadDays: {
    type: count,
    about: 'How many days before the start of a period its invoice is finalized.',
    example: 7,
    of: ({ context }) => context.leadDays,
  },
  graceDays: {
    type: count,
    about: 'How many days a subscription continues after an unpaid invoice was due.',
    example: 7,
    of: ({ context }) => context.graceDays,
  },
  maxPeriods: {
    type: () => count().or('null'),
    about: 'Number of periods after which a subscription is completed. Null: it continues until it is canceled.',
    example: null,
    of: ({ context }) => context.maxPeriods,
  },
  activation: {
    type: (): Type<Plan['activation']> => type("'on_payment' | 'immediate'"),
    about:
      'When a subscription without a trial begins: `on_payment` when its first invoice is paid, `immediate` when it is created.',
    example: 'on_payment',
    of: ({ context }) => context.activation,
  },
  afterGrace: {
    type: (): Type<Plan['afterGrace']> => type("'cancel' | 'pause'"),
    about: 'What happens to a subscription when its invoice is not paid within `graceDays`.',
    example: 'cancel',
    of: ({ context }) => context.afterGrace,
  },
  assets: {
    type: () => type({ chainId: chainId(), asset: 'string' }).array().or('null'),
    about: 'Assets that customers can pay with. Null allows every asset that the server offers.',
    example: null,
    of: ({ context }) => context.assets?.map(({ chainId, asset }) => ({ chainId, asset })) ?? null,
  },
  reference: {
    type: textOrNull,
    about: 'Your own reference, unique among your plans. Null if not set.',
    example: 'club-monthly',
    of: ({ context }) => context.reference,
  },
  subscriptionsCount: {
    type: count,
    about: 'Number of its subscriptions that have not ended.',
    example: 0,
    of: (_, { subscriptionsCount }) => subscriptionsCount,
  },
  url: {
    type: text,
    about: 'Public page of the plan, on which customers subscribe.',
    example: `https://pay.lamps.shop/plans/${exampleId('plan')}`,
    of: ({ id }, { publicUrl }) => `${publicUrl}/plans/${encodeId('plan', id)}`,
  },
  metadata: { type: texts, example: { shelf: 'B' }, of: ({ context }) => context.metadata },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})
