import type { InvoiceWithLines } from '../../api/calls.ts'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { type InvoicesTexts, useInvoicesTexts } from './texts.ts'

type SumRow = readonly [label: string, minor: number, kind?: 'strong' | undefined]

/** Sums under the lines of an invoice, at their end. */
export const SumRows = ({ rows, currency }: { readonly rows: readonly SumRow[]; readonly currency: string }) => {
  const { sums } = useInvoicesTexts()
  return (
    <dl class="sums" aria-label={sums.label}>
      {rows.map(([label, minor, kind]) => (
        <div key={label} class={kind}>
          <dt>{label}</dt>
          <dd>
            <FiatAmount minor={minor} currency={currency} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

type TaxedInvoice = Pick<InvoiceWithLines, 'taxes' | 'subtotalMinor' | 'totalMinor'>

/** Net, tax by rate and category, and total. */
export const useTaxRows = () => {
  const texts = useInvoicesTexts()
  const { locale } = useReader()
  return ({ taxes, subtotalMinor, totalMinor }: TaxedInvoice): readonly SumRow[] => [
    [texts.sums.net, subtotalMinor],
    ...taxes.map(tax => [taxName(tax, texts, locale), tax.taxMinor] as const),
    [texts.sums.total, totalMinor, 'strong'],
  ]
}

/** `Tax 19 %`, or the category if it has no rate. */
export const taxName = (
  { taxCategory, taxRateBps }: InvoiceWithLines['taxes'][number],
  { sums, taxCategories }: InvoicesTexts,
  locale: string,
): string => (taxCategory === 'standard' ? sums.tax(ratePercent(taxRateBps, locale)) : taxCategories[taxCategory])

/** Basis points as a percentage: `19%`, in German `19 %`. */
export const ratePercent = (bps: number, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(bps / 10_000)
