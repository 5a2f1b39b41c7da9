import { addDays, dayIn } from '../../../billing/days.ts'
import type { Analytics, PaymentLink } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { bucketRowsOf } from './bucket-rows.ts'
import { figuresPeriodOf } from './period.ts'
import { SeriesChart } from './series-chart.tsx'
import { useAnalyticsTexts } from './texts.ts'

/** The money of a link by month. */
export const LinkChart = ({ link: { id, currency } }: { readonly link: PaymentLink }) => {
  const texts = useAnalyticsTexts()
  const result = useShopQuery(['analytics', 'link', id], ({ call, ...scope }, signal) => {
    // The time zone of the shop comes with the answer: at the turn of a month it is a month more or less.
    const { from } = figuresPeriodOf({ range: '12m', first: undefined, last: undefined }, dayIn('UTC', new Date()))
    const asked = { ...scope, from, bucket: 'month', breakdown: 'link', link: id, currency } as const
    return call('getAnalyticsSeries', asked, { signal })
  }).value
  return (
    <Section title={texts.ofLink}>
      <Result result={result} skeleton={<div class="chart-space chart-space--small" />}>
        {series => <LinkMonths {...{ series, currency }} />}
      </Result>
    </Section>
  )
}

type LinkMonthsProps = { readonly series: Analytics; readonly currency: string }

const LinkMonths = ({ series, currency }: LinkMonthsProps) => {
  const texts = useAnalyticsTexts()
  const { locale } = useReader()
  const { buckets, timeZone, asOf } = series
  if (!buckets.some(({ rows }) => rows.length > 0)) return <p class="quiet">{texts.ofLinkNothing}</p>
  const figures = { now: series, before: undefined, bucket: 'month', timeZone } as const
  return (
    <SeriesChart
      {...{ currency, kind: 'bars', bucket: 'month' }}
      name="money-in-of-link"
      label={texts.ofLink}
      rows={bucketRowsOf(figures, currency, { locale, hours: texts.hours })}
      period={{
        from: dayIn(timeZone, new Date(buckets[0]?.start ?? asOf)),
        to: addDays(dayIn(timeZone, new Date(asOf)), 1),
      }}
      first={{ key: 'money', name: texts.moneyIn, unit: 'money', of: ({ total }) => total?.volumeMinor ?? 0 }}
      more={[{ key: 'paid', name: texts.paid, unit: 'count', of: ({ total }) => total?.succeeded ?? 0 }]}
    />
  )
}
