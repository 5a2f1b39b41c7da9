import type { InvoiceWithLines } from '../../api/calls.ts'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { useReminderEndpoints } from '../settings/reminder-endpoints.tsx'
import { ListSearch, MoreFilters, Pick, PickDay, PickToggle, useAddressQuery } from '../shell/filters.tsx'
import { NewRows } from '../shell/new-rows.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { NothingMatches, PageLinks, readListPage, usePosition } from '../shell/pages.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { InvoiceList } from './invoice-list.tsx'
import { PickCustomer } from './pick-customer.tsx'
import { useInvoicesTexts } from './texts.ts'

const statuses = ['draft', 'open', 'paid', 'uncollectible', 'void'] as const

export const InvoicesPage = () => {
  const texts = useInvoicesTexts()
  const { list, payments } = useTexts()
  const address = useAddress()
  const query = useAddressQuery()
  const canWrite = useCanWrite()
  const position = usePosition()
  const [q, customer, dueBefore] = [query.get('q'), query.get('customer'), query.get('dueBefore')]
  const subscription = query.get('subscription')
  const isByReference = query.get('by') === 'reference'
  const status = statuses.find(each => each === query.get('status'))
  const overdue = query.get('overdue') === 'true'
  const isFiltered = overdue || [q, customer, subscription, dueBefore, status].some(each => each !== undefined)
  const ofCustomer = customer === undefined ? {} : { customerId: customer }
  const filters = {
    ...(q !== undefined && { [isByReference ? 'reference' : 'number']: q }),
    ...ofCustomer,
    ...(subscription !== undefined && { subscriptionId: subscription }),
    ...(dueBefore !== undefined && { dueBefore }),
    ...(status && { status: [status] }),
    ...(overdue && { overdue: 'true' as const }),
  }
  const result = useShopQuery(
    ['invoices', { q, isByReference, customer, subscription, dueBefore, status, overdue, ...position }],
    ({ merchantId, livemode, call }, signal) =>
      readListPage<InvoiceWithLines>(position, page =>
        call(
          'listInvoices',
          {
            ...{ merchantId, livemode, ...page },
            ...filters,
          },
          { signal },
        ),
      ),
  ).value
  // For the list, read beside it.
  useReminderEndpoints()
  const create = canWrite && (
    <a class="button button--primary" href={newInvoiceAddress(address, customer)}>
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
            <ExportButton
              lists={[
                { kind: 'invoices', filters },
                { kind: 'credit-notes', filters: ofCustomer },
              ]}
            />
            {create}
          </>
        }
      />
      <OwnersNote />
      <div class="filters">
        <ListSearch label={texts.search} hint={isByReference ? texts.referenceHint : texts.searchHint} />
        <Pick
          label={payments.status}
          all={list.all}
          value={status ?? ''}
          options={statuses.map(each => [each, texts.states[each]])}
          onPick={value => query.filter({ status: value })}
        />
        <MoreFilters
          label={texts.moreFilters}
          isSet={isByReference || overdue || [customer, dueBefore].some(each => each !== undefined)}
        >
          <Pick
            label={texts.searchBy}
            all={texts.searchByNumber}
            value={isByReference ? 'reference' : ''}
            options={[['reference', texts.byReference]]}
            onPick={value => query.filter({ by: value })}
          />
          <PickToggle isOn={overdue} onToggle={() => query.filter({ overdue: overdue ? undefined : 'true' })}>
            {texts.overdueOnly}
          </PickToggle>
          <PickDay label={texts.dueBefore} value={dueBefore ?? ''} onPick={day => query.filter({ dueBefore: day })} />
          <PickCustomer id={customer} onPick={id => query.filter({ customer: id })} />
          {subscription !== undefined && (
            <PickToggle isOn onToggle={() => query.filter({ subscription: undefined })}>
              {texts.ofSubscription}
            </PickToggle>
          )}
        </MoreFilters>
      </div>
      {!isFiltered && position.after === undefined && (
        <NewRows section="invoices" rows={result.data?.rows ?? []} words={texts.fresh} />
      )}
      <Result result={result} skeleton={<SkeletonRows rows={12} />}>
        {page => {
          if (page.rows.length > 0)
            return (
              <>
                <InvoiceList rows={page.rows} />
                <PageLinks {...page} />
              </>
            )
          if (isFiltered) return <NothingMatches section="invoices" />
          return (
            <Empty title={texts.emptyTitle} action={create}>
              {texts.emptyWhat}
            </Empty>
          )
        }}
      </Result>
    </>
  )
}

/** The page of a new invoice, for the customer that is shown. */
const newInvoiceAddress = (address: (...path: readonly string[]) => string, customer: string | undefined): string =>
  customer === undefined ? address('invoices', 'new') : `${address('invoices', 'new')}?customer=${customer}`
