import { SkeletonRows } from '../../parts/skeleton.tsx'
import { PaymentsTable } from '../payments/payments-page.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { useCustomersTexts } from './texts.ts'

const LATEST = 5

/** The latest payments of a customer, and a way to all of them. */
export const CustomerPayments = ({ id }: { readonly id: string }) => {
  const texts = useCustomersTexts()
  const address = useAddress()
  const result = useShopQuery(['customers', 'one', id, 'payments'], ({ call, ...scope }, signal) =>
    call('listPayments', { ...scope, customerId: id, limit: LATEST }, { signal }),
  ).value
  return (
    <Section title={texts.payments} aside={<a href={`${address('payments')}?customer=${id}`}>{texts.allPayments}</a>}>
      <Result result={result} skeleton={<SkeletonRows rows={3} />}>
        {({ data }) =>
          data.length === 0 ? <p class="quiet">{texts.noPayments}</p> : <PaymentsTable rows={data} narrow />
        }
      </Result>
    </Section>
  )
}
