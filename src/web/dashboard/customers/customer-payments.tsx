import type { PaymentWithCrypto } from '../../api/calls.ts'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import type { TableColumn } from '../../parts/table.tsx'
import { PaymentLines } from '../payments/payment-lines.tsx'
import { paidWith } from '../payments/payment-state.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { useCustomersTexts } from './texts.ts'

const LATEST = 5

/** The latest payments of a customer, and a way to all of them. */
export const CustomerPayments = ({ id }: { readonly id: string }) => {
  const texts = useCustomersTexts()
  const { payments } = useTexts()
  const address = useAddress()
  const result = useShopQuery(['customers', 'one', id, 'payments'], ({ call, ...scope }, signal) =>
    call('listPayments', { ...scope, customerId: id, limit: LATEST }, { signal }),
  ).value
  const columns: readonly TableColumn<PaymentWithCrypto>[] = [
    {
      key: 'with',
      head: payments.paidWith,
      card: 3,
      cell: payment => (
        <a class="open" href={address('payments', payment.id)}>
          {paidWith(payment)}
        </a>
      ),
    },
    { key: 'created', head: payments.created, card: 4, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
    {
      key: 'amount',
      head: payments.amount,
      card: 1,
      end: true,
      cell: ({ amountMinor, currency }) => <FiatAmount minor={amountMinor} currency={currency} />,
    },
  ]
  return (
    <Section title={texts.payments} aside={<a href={`${address('payments')}?customer=${id}`}>{texts.allPayments}</a>}>
      <Result result={result} skeleton={<SkeletonRows rows={3} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">{texts.noPayments}</p>
          ) : (
            <PaymentLines label={payments.list} columns={columns} rows={data} />
          )
        }
      </Result>
    </Section>
  )
}
