import { sumInvoice } from '../../../billing/invoice-sums.ts'
import type { Plan } from '../../api/calls.ts'
import { LineTable } from '../invoices/invoice-lines.tsx'
import { useInvoiceTexts } from '../invoices/invoice-page-texts.ts'
import { SumRows, useTaxRows } from '../invoices/sum-rows.tsx'
import { Section } from '../shell/record.tsx'
import { usePlansTexts } from './texts.ts'

type PriceTableProps = { readonly price: Pick<Plan, 'lines' | 'taxBehavior' | 'currency'> }

/** The lines of the invoice of a period, and its sums. */
export const PriceTable = ({ price: { lines, taxBehavior, currency } }: PriceTableProps) => {
  const { perPeriod } = usePlansTexts()
  const { lines: texts } = useInvoiceTexts()
  const taxRows = useTaxRows()
  const summed = sumInvoice(lines, taxBehavior)
  return (
    <Section title={perPeriod} aside={texts[taxBehavior]}>
      <LineTable lines={lines.map(line => ({ ...line, periodStart: null, periodEnd: null }))} currency={currency} />
      {summed.ok && <SumRows rows={taxRows(summed.sums)} currency={currency} />}
    </Section>
  )
}
