import { isSameZone } from '../../../billing/days.ts'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { unbroken } from '../../text/format.ts'
import { useTables } from '../analytics/chart-view.tsx'
import { FigureList, totalIn, useBillingFigures, useComparedDays, useMainFigures } from '../analytics/figure-list.tsx'
import { LimitNote } from '../analytics/limit-note.tsx'
import { MoneyChart } from '../analytics/money-chart.tsx'
import { NoPaymentsThen } from '../analytics/no-payments-then.tsx'
import { CurrencyPick, PeriodPicks, useCurrency, usePeriodQuery } from '../analytics/period-controls.tsx'
import { useAnalyticsTexts } from '../analytics/texts.ts'
import { currenciesOf, hasPartial, type ShownFigures, type useFigures } from '../analytics/use-figures.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'

/** The figures of a period and its money in by day. */
export const PeriodSection = ({ result }: { readonly result: ReturnType<typeof useFigures> }) => {
  const texts = useAnalyticsTexts()
  const { range } = usePeriodQuery()
  const figures = result.data
  const currencies = figures ? currenciesOf(figures) : []
  const currency = useCurrency(currencies)
  return (
    <>
      <Section
        // Figures of the last choice are shown, under its name, until those of another come.
        title={texts.ranges[figures?.range ?? range]}
        aside={
          <>
            <PeriodPicks figures={figures} />
            <CurrencyPick currencies={currencies} currency={currency} />
          </>
        }
      >
        <Result result={result} skeleton={<SkeletonRows rows={8} />}>
          {found => (
            <div class="period" aria-busy={result.isPlaceholderData}>
              {found.limit === undefined ? (
                <PeriodFigures figures={found} currency={currency} />
              ) : (
                <LimitNote limit={found.limit} />
              )}
            </div>
          )}
        </Result>
      </Section>
      {figures && <BillingSection figures={figures} currency={currency} />}
    </>
  )
}

type PeriodFiguresProps = { readonly figures: ShownFigures; readonly currency: string | undefined }

const PeriodFigures = ({ figures, currency }: PeriodFiguresProps) => {
  const texts = useAnalyticsTexts()
  const { formats } = useReader()
  const address = useAddress()
  const { isCompared } = usePeriodQuery()
  const { isTable } = useTables()
  const { now, summary, timeZone } = figures
  const main = useMainFigures(figures, currency)
  const compared = useComparedDays(figures)
  const hasChart = totalIn(now?.totals, currency) !== undefined
  return (
    <>
      <FigureList figures={main} />
      {currency !== undefined && hasChart ? (
        <MoneyChart {...{ figures, currency, isCompared }} kind="bars" />
      ) : (
        <NoPaymentsThen />
      )}
      <p class="chart-foot">
        <span>
          {compared}
          {/* Times on this page are in the time zone of the reader. */}
          {!isSameZone(timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone) && texts.daysIn(timeZone)}
          {hasChart && !isTable('money-in') && hasPartial(figures) && texts.partial.bars}{' '}
          {texts.asOf(unbroken(formats.exact(summary.asOf)))}
        </span>
        <a href={address('analytics')}>{texts.allCharts}</a>
      </p>
    </>
  )
}

const BillingSection = ({ figures, currency }: PeriodFiguresProps) => {
  const texts = useAnalyticsTexts()
  const billing = useBillingFigures(figures, currency)
  return (
    billing && (
      <Section title={texts.billingNow}>
        <FigureList figures={billing} />
      </Section>
    )
  )
}
