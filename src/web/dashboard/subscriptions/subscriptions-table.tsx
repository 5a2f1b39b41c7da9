import type { SubscriptionWithLines } from '../../api/calls.ts'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { StateBadge } from '../../parts/state-strip.tsx'
import { clipped, Table, type TableColumn } from '../../parts/table.tsx'
import { useCustomerNames } from '../invoices/use-customer-names.ts'
import { usePlansTexts } from '../plans/texts.ts'
import { usePlanNames } from '../plans/use-plan-names.ts'
import { useLive } from '../shell/live.ts'
import { useAddress } from '../shell/shop.ts'
import { nextStepOf, stepWords } from './next-step.ts'
import { isSubscriptionOver, subscriptionPath } from './subscription-state.ts'
import { useSubscriptionsTexts } from './texts.ts'

/**
 * What these tables leave out, beside other content: a plan has one price, and references are on the pages of subscriptions. That
 * of a customer has what is next under the plan, so that the largest prices fit.
 */
const left = { customer: ['reference', 'next'], plan: ['price', 'reference'] } as const satisfies Readonly<
  Record<string, readonly string[]>
>

type SubscriptionsTableProps = {
  readonly rows: readonly SubscriptionWithLines[]
  /** Of one customer, or of one plan: without it. */
  readonly of?: 'customer' | 'plan'
}

export const SubscriptionsTable = ({ rows, of }: SubscriptionsTableProps) => {
  const texts = useSubscriptionsTexts()
  const hidden: readonly string[] = of ? [of, ...left[of]] : []
  const { per } = usePlansTexts()
  const { formats } = useReader()
  const address = useAddress()
  const changed = useLive()?.changed.value
  const customers = useCustomerNames(of === 'customer' ? [] : rows)
  const plans = usePlanNames(of === 'plan' ? [] : rows)
  /** The link of a row: what tells it from the others. */
  const open = (id: string, name: string) => (
    <a class="open clip" href={address('subscriptions', id)}>
      {name}
    </a>
  )
  const planOf = ({ planId }: SubscriptionWithLines): string =>
    planId === null ? texts.noPlan : (plans.get(planId) ?? texts.plan)
  const columns: readonly TableColumn<SubscriptionWithLines>[] = [
    {
      key: 'status',
      head: texts.status,
      card: 2,
      cell: subscription => (
        <>
          <StateBadge path={subscriptionPath(subscription, texts)} />
          <span class="what">{remarkOf(subscription, texts.remarks)}</span>
        </>
      ),
    },
    {
      key: 'customer',
      head: texts.customer,
      card: of === 'plan' ? 1 : 3,
      cell: ({ id, customerId }) => open(id, customers.get(customerId) ?? '…'),
    },
    {
      key: 'plan',
      head: texts.plan,
      card: of === 'customer' ? 3 : 4,
      cell: subscription =>
        of === 'customer' ? (
          <>
            {open(subscription.id, planOf(subscription))}
            <span class="under">{stepWords(nextStepOf(subscription), texts, formats)}</span>
          </>
        ) : (
          clipped(planOf(subscription))
        ),
    },
    { key: 'reference', head: texts.reference, card: 5, cell: ({ reference }) => clipped(reference) },
    { key: 'next', head: texts.next, card: 6, cell: each => stepWords(nextStepOf(each), texts, formats) },
    {
      key: 'price',
      head: texts.price,
      card: 1,
      end: true,
      cell: ({ amountMinor, currency, interval, intervalCount }) => (
        <>
          <FiatAmount minor={amountMinor} currency={currency} />
          <span class="under">{per[interval](intervalCount)}</span>
        </>
      ),
    },
  ]
  return (
    <Table
      label={texts.list}
      columns={columns.filter(({ key }) => !hidden.includes(key))}
      rows={rows}
      keyOf={({ id }) => id}
      stateOf={each => (changed?.has(each.id) ? 'changed' : isSubscriptionOver(each) ? 'ended' : undefined)}
    />
  )
}

const remarkOf = (
  { cancelAtPeriodEnd, pauseAtPeriodEnd, verified, ...subscription }: SubscriptionWithLines,
  remarks: Readonly<Record<'cancels' | 'pauses' | 'unverified', string>>,
): string | undefined => {
  if (isSubscriptionOver(subscription)) return undefined
  if (cancelAtPeriodEnd) return remarks.cancels
  if (pauseAtPeriodEnd) return remarks.pauses
  return verified ? undefined : remarks.unverified
}
