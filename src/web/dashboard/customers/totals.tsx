import type { CustomerWithTotals } from '../../api/calls.ts'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { Section } from '../shell/record.tsx'
import { useCustomersTexts } from './texts.ts'

type Total = CustomerWithTotals['totals'][number]

/** What a customer has paid and owes, by currency. */
export const Totals = ({ customer: { totals } }: { readonly customer: CustomerWithTotals }) => {
  const texts = useCustomersTexts()
  const { formats } = useReader()
  const sum = (
    key: 'volumeMinor' | 'refundedMinor' | 'openMinor' | 'creditMinor',
    card: TableColumn<Total>['card'],
  ): TableColumn<Total> => ({
    ...{ key, head: texts.sums[key], card, named: card !== 1, end: true },
    cell: total => (
      <>
        <FiatAmount minor={total[key]} currency={total.currency} />
        {key === 'openMinor' && total.overdueMinor > 0 && (
          <span class="under">{texts.overdue(formats.money(total.overdueMinor, total.currency))}</span>
        )}
      </>
    ),
  })
  const columns: readonly TableColumn<Total>[] = [
    {
      key: 'count',
      head: texts.payments,
      card: 2,
      cell: ({ paymentsCount }) => texts.paymentsCount(paymentsCount, formats.count(paymentsCount)),
    },
    {
      key: 'last',
      head: texts.lastPayment,
      card: 3,
      named: true,
      cell: ({ lastPaymentAt }) => (lastPaymentAt === null ? null : <Moment at={lastPaymentAt} short />),
    },
    sum('refundedMinor', 5),
    sum('openMinor', 6),
    sum('creditMinor', 7),
    sum('volumeMinor', 1),
  ]
  return (
    <Section title={texts.totals} aside={texts.totalsWhat}>
      {totals.length === 0 ? (
        <p class="quiet">{texts.noTotals}</p>
      ) : (
        <div class="totals">
          <Table label={texts.totals} columns={columns} rows={totals} keyOf={({ currency }) => currency} />
        </div>
      )}
    </Section>
  )
}
