import { useEffect } from 'preact/hooks'
import type { InvoiceWithLines, PaymentWithCrypto } from '../../api/calls.ts'
import { Moment } from '../../parts/moment.tsx'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import type { TableColumn } from '../../parts/table.tsx'
import { PaymentLines } from '../payments/payment-lines.tsx'
import { paidWith } from '../payments/payment-state.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { useInvoiceTexts } from './invoice-page-texts.ts'

type InvoiceProps = { readonly invoice: InvoiceWithLines }

const MOST = 100

/** The payments that were opened on the page of an invoice. What they have paid changes with the invoice. */
export const usePaymentsOf = ({ id, paymentLinkId, updatedAt }: InvoiceWithLines) => {
  const result = useShopQuery(['invoice-payments', id, paymentLinkId], async ({ call, ...scope }, signal) =>
    paymentLinkId === null
      ? { data: [], has_more: false }
      : call('listPayments', { ...scope, paymentLinkId, limit: MOST }, { signal }),
  ).value
  const { refetch } = result
  useEffect(() => {
    // The first reading is under way, or is as new as the invoice.
    void refetch({ cancelRefetch: false })
  }, [updatedAt])
  return result
}

/** The payments of an invoice, with what each of them has paid of it. */
export const InvoicePayments = ({ invoice }: InvoiceProps) => {
  const { payments: texts } = useInvoiceTexts()
  const address = useAddress()
  const result = usePaymentsOf(invoice)
  if (invoice.status === 'draft') return null
  return (
    <Section title={texts.title} aside={texts.what}>
      <Result result={result} skeleton={<SkeletonRows rows={2} />}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 ? (
              <p class="quiet">
                {invoice.paymentLinkId !== null
                  ? texts.none
                  : invoice.creditAppliedMinor > 0
                    ? texts.paidByCredit
                    : texts.notPayable}
              </p>
            ) : (
              <CountedTable invoice={invoice} rows={data} />
            )}
            {has_more && <a href={`${address('payments')}?link=${invoice.paymentLinkId}`}>{texts.more}</a>}
          </>
        )}
      </Result>
    </Section>
  )
}

type CountedTableProps = InvoiceProps & { readonly rows: readonly PaymentWithCrypto[] }

const CountedTable = ({ invoice: { allocations }, rows }: CountedTableProps) => {
  const { payments: texts } = useInvoiceTexts()
  const { formats } = useReader()
  const address = useAddress()
  const countedOf = (id: string) => allocations.find(({ paymentId }) => paymentId === id)?.amountMinor ?? 0
  const columns: readonly TableColumn<PaymentWithCrypto>[] = [
    {
      key: 'with',
      head: texts.with,
      card: 3,
      cell: payment => (
        <a class="open" href={address('payments', payment.id)}>
          {paidWith(payment)}
        </a>
      ),
    },
    { key: 'opened', head: texts.opened, card: 4, cell: ({ createdAt }) => <Moment at={createdAt} short /> },
    {
      key: 'counted',
      head: texts.counted,
      card: 1,
      end: true,
      cell: ({ id, amountMinor, currency }) => {
        const counted = countedOf(id)
        return (
          <>
            <FiatAmount minor={counted} currency={currency} />
            {counted !== amountMinor && (
              <span class="table__under">{texts.of(formats.money(amountMinor, currency))}</span>
            )}
          </>
        )
      },
    },
  ]
  return <PaymentLines label={texts.title} columns={columns} rows={rows} />
}
