import type { SubscriptionWithLines } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { PickCustomer } from '../invoices/pick-customer.tsx'
import { PickPlan } from '../plans/pick-plan.tsx'
import { Pick, useAddressQuery } from '../shell/filters.tsx'
import { NewRows } from '../shell/new-rows.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { SubscriptionsTable } from './subscriptions-table.tsx'
import { useSubscriptionsTexts } from './texts.ts'

const statuses = [
  ...(['incomplete', 'trialing', 'active', 'past_due', 'paused'] as const),
  ...(['canceled', 'expired', 'completed'] as const),
]

export const SubscriptionsPage = () => {
  const texts = useSubscriptionsTexts()
  const { list } = useTexts()
  const address = useAddress()
  const query = useAddressQuery()
  const canWrite = useCanWrite()
  const position = usePosition()
  const [customer, plan] = [query.get('customer'), query.get('plan')]
  const status = statuses.find(each => each === query.get('status'))
  const isFiltered = [customer, plan, status].some(each => each !== undefined)
  const filters = {
    ...(customer !== undefined && { customerId: customer }),
    ...(plan !== undefined && { planId: plan }),
    ...(status && { status: [status] }),
  }
  const result = useShopQuery(
    ['subscriptions', { customer, plan, status, ...position }],
    ({ call, ...scope }, signal) =>
      readListPage<SubscriptionWithLines>(position, page =>
        call(
          'listSubscriptions',
          {
            ...{ ...scope, ...page },
            ...filters,
          },
          { signal },
        ),
      ),
  ).value
  const create = canWrite && (
    <a class="button button--primary" href={newSubscriptionAddress(address, { customer, plan })}>
      <Icon name="plus" />
      {texts.create}
    </a>
  )
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.what}
        actions={
          <>
            <ExportButton lists={[{ kind: 'subscriptions', filters }]} />
            {create}
          </>
        }
      />
      <OwnersNote />
      <div class="filters">
        <Pick
          label={texts.status}
          all={list.all}
          value={status ?? ''}
          options={statuses.map(each => [each, texts.states[each]])}
          onPick={value => query.filter({ status: value })}
        />
        <PickPlan id={plan} onPick={id => query.filter({ plan: id })} />
        <PickCustomer id={customer} onPick={id => query.filter({ customer: id })} />
      </div>
      {!isFiltered && position.after === undefined && (
        <NewRows section="subscriptions" rows={result.data?.rows ?? []} words={texts.fresh} />
      )}
      <Result result={result} skeleton={<SkeletonRows rows={12} />}>
        {page => {
          if (page.rows.length > 0)
            return (
              <>
                <SubscriptionsTable rows={page.rows} />
                <PageLinks {...page} />
              </>
            )
          if (isFiltered) return <NothingMatches section="subscriptions" />
          return (
            <Empty title={texts.emptyTitle} action={create}>
              {texts.emptyWhat} <a href={address('plans')}>{texts.toPlans}</a>
            </Empty>
          )
        }}
      </Result>
    </>
  )
}

/** The page of a new subscription, for the customer and the plan that are shown. */
const newSubscriptionAddress = (
  address: ReturnType<typeof useAddress>,
  chosen: Readonly<Record<'customer' | 'plan', string | undefined>>,
): string => {
  const given = Object.entries(chosen).flatMap(([name, id]) => (id === undefined ? [] : [[name, id]]))
  return [address('subscriptions', 'new'), ...(given.length > 0 ? [new URLSearchParams(given)] : [])].join('?')
}
