import { Icon } from '../../parts/icon.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress, useCanWrite } from '../shell/shop.ts'
import { InvoiceList } from './invoice-list.tsx'
import { useInvoicesTexts } from './texts.ts'

const LATEST = 5

/** The latest invoices of a customer, a way to all of them, and to a new one. */
export const CustomerInvoices = ({ id, isActive }: { readonly id: string; readonly isActive: boolean }) => {
  const texts = useInvoicesTexts()
  const address = useAddress()
  const canWrite = useCanWrite()
  const result = useShopQuery(['customers', 'one', id, 'invoices'], ({ call, ...scope }, signal) =>
    call('listInvoices', { ...scope, customerId: id, limit: LATEST }, { signal }),
  ).value
  return (
    <Section title={texts.title} aside={<a href={`${address('invoices')}?customer=${id}`}>{texts.allInvoices}</a>}>
      <Result result={result} skeleton={<SkeletonRows rows={3} />}>
        {({ data }) => (data.length === 0 ? <p class="quiet">{texts.none}</p> : <InvoiceList rows={data} narrow />)}
      </Result>
      {canWrite && isActive && (
        <div class="buttons">
          <a class="button button--small" href={`${address('invoices', 'new')}?customer=${id}`}>
            <Icon name="plus" small />
            {texts.create}
          </a>
        </div>
      )}
    </Section>
  )
}
