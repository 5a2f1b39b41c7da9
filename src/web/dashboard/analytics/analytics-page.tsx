import { isTimeZone } from '../../../billing/days.ts'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { formatsOf, unbroken } from '../../text/format.ts'
import { useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { BigFigure } from './big-figure.tsx'
import { BreakdownSection } from './breakdown.tsx'
import { changeText, pointsText } from './changes.ts'
import { totalIn, useComparedDays } from './figure-list.tsx'
import { Funnel } from './funnel.tsx'
import { LimitNote } from './limit-note.tsx'
import { MoneyChart, useBucketRows } from './money-chart.tsx'
import { NoPaymentsThen } from './no-payments-then.tsx'
import { PayTimes } from './pay-times.tsx'
import {
  BucketPick,
  bucketNames,
  CurrencyPick,
  PeriodPicks,
  useCurrency,
  usePeriodQuery,
  ZonePick,
} from './period-controls.tsx'
import { SeriesChart } from './series-chart.tsx'
import { useAnalyticsTexts } from './texts.ts'
import { currenciesOf, hasPartial, type ShownFigures, useFigures } from './use-figures.ts'

/** Everything that is known of payments as numbers, for one period and one currency. */
export const AnalyticsPage = () => {
  const texts = useAnalyticsTexts()
  const { locale } = useReader()
  const { get } = useAddressQuery()
  const { isCompared, ...period } = usePeriodQuery()
  const bucket = bucketNames.find(each => each === get('bucket'))
  const timeZone = [get('timeZone')].find(each => each !== undefined && isTimeZone(each))
  const result = useFigures({ ...period, bucket, timeZone })
  const figures = result.data
  const currencies = figures ? currenciesOf(figures) : []
  const currency = useCurrency(currencies)
  return (
    <>
      <PageHead
        title={texts.title}
        // Its line is there from the beginning, so that nothing below it moves.
        lead={
          figures
            ? [
                currency && texts.lead(currency, texts.by[figures.bucket], figures.timeZone),
                texts.asOf(unbroken(formatsOf(locale, figures.timeZone).exact(figures.summary.asOf))),
                figures.limit === undefined && currency && hasPartial(figures) && texts.partial.lines,
              ]
                .filter(Boolean)
                .join(' ')
            : '\u00a0'
        }
      />
      <OwnersNote />
      <div class="filters">
        <PeriodPicks figures={figures} />
        <BucketPick bucket={bucket} />
        <CurrencyPick currencies={currencies} currency={currency} />
        <ZonePick own={figures?.summary.timeZone ?? '…'} chosen={timeZone} />
      </div>
      <Result result={result} skeleton={<ChartsSkeleton />}>
        {found => (
          <div aria-busy={result.isPlaceholderData}>
            <RebuildNote figures={found} />
            {found.limit === undefined ? (
              <Charts figures={found} currency={currency} isCompared={isCompared} />
            ) : (
              <LimitNote limit={found.limit} />
            )}
          </div>
        )}
      </Result>
    </>
  )
}

const ChartsSkeleton = () => (
  <>
    <div class="chart-space" />
    <SkeletonRows rows={6} />
  </>
)

/** The time zone of the shop was changed, and its days are still those of the former one. */
const RebuildNote = ({ figures: { futureZone, summary } }: { readonly figures: ShownFigures }) => {
  const texts = useAnalyticsTexts()
  if (futureZone === undefined) return null
  return <NoteBox title={texts.rebuilding}>{texts.rebuildingWhat(summary.timeZone, futureZone)}</NoteBox>
}

type ChartsProps = {
  readonly figures: ShownFigures
  readonly currency: string | undefined
  readonly isCompared: boolean
}

const Charts = ({ figures, currency, isCompared }: ChartsProps) => {
  const { change, ...texts } = useAnalyticsTexts()
  const { formats } = useReader()
  const compared = useComparedDays(figures)
  const total = totalIn(figures.now?.totals, currency)
  const before = totalIn(figures.before?.totals, currency)
  if (!total) return <NoPaymentsThen />
  const { volumeMinor, conversionBps } = total
  const changed = changeText(volumeMinor, figures.before && (before?.volumeMinor ?? 0), change, formats)
  return (
    <>
      <Section title={texts.moneyIn}>
        <MoneyChart
          {...{ figures, isCompared }}
          currency={total.currency}
          kind="lines"
          aside={
            <BigFigure
              value={formats.money(volumeMinor, total.currency)}
              note={compared ? `${changed}. ${compared}` : changed}
            />
          }
        />
      </Section>
      <div class="charts">
        <Funnel total={total} period={figures.period} />
        <Conversion
          {...{ figures, isCompared }}
          currency={total.currency}
          value={conversionBps === null ? '–' : formats.share(conversionBps / 10_000)}
          note={pointsText(conversionBps, before?.conversionBps, change, formats)}
        />
        <PayTimes figures={figures} total={total} of="payMs" />
        <PayTimes figures={figures} total={total} of="finalMs" />
      </div>
      <BreakdownSection figures={figures} currency={total.currency} />
    </>
  )
}

type ConversionProps = Omit<ChartsProps, 'currency'> & {
  readonly currency: string
  readonly value: string
  readonly note: string
}

const Conversion = ({ figures, isCompared, currency, value, note }: ConversionProps) => {
  const texts = useAnalyticsTexts()
  const { bucket, period, before } = figures
  return (
    <Section title={texts.conversionOverTime}>
      <SeriesChart
        {...{ bucket, period, currency }}
        name="conversion"
        label={texts.conversionOverTime}
        kind="lines"
        rows={useBucketRows(figures, currency)}
        first={{
          ...{ key: 'share', name: texts.conversion, unit: 'share' },
          of: ({ total }) => total?.conversionBps ?? null,
        }}
        second={
          isCompared && before
            ? { key: 'before', name: texts.before, unit: 'share', of: row => row.before?.conversionBps ?? null }
            : undefined
        }
        more={[{ key: 'opened', name: texts.opened, unit: 'count', of: ({ total }) => total?.opened ?? 0 }]}
        aside={<BigFigure value={value} note={`${texts.conversionWhat}: ${note}.`} />}
      />
    </Section>
  )
}
