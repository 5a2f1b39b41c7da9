import type { AnalyticsTotal } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { changeText, daysText, pointsText } from './changes.ts'
import { useAnalyticsTexts } from './texts.ts'
import type { ShownFigures } from './use-figures.ts'

export type FigureText = { readonly name: string; readonly value: string; readonly note: string }

/** Large numbers, each with what explains it. */
export const FigureList = ({ figures }: { readonly figures: readonly FigureText[] }) => (
  <dl class="figures">
    {figures.map(({ name, value, note }) => (
      <div key={name} data-none={value === '–'}>
        <dt>{name}</dt>
        <dd>{value}</dd>
        <dd class="quiet">{note}</dd>
      </div>
    ))}
  </dl>
)

export const totalIn = (totals: readonly AnalyticsTotal[] | undefined, currency: string | undefined) =>
  totals?.find(each => each.currency === currency)

/** The four figures of a period, with their change. Without a payment there is no currency to write them in. */
export const useMainFigures = ({ now, before }: ShownFigures, currency: string | undefined): readonly FigureText[] => {
  const { change, ...texts } = useAnalyticsTexts()
  const { formats } = useReader()
  const [is, was] = [totalIn(now?.totals, currency), totalIn(before?.totals, currency)]
  const sum = (key: 'volumeMinor' | 'succeeded' | 'netMinor'): readonly [number, string] => [
    is?.[key] ?? 0,
    changeText(is?.[key] ?? 0, before && (was?.[key] ?? 0), change, formats),
  ]
  const money = (minor: number) => (currency === undefined ? '–' : formats.money(minor, currency))
  const [[volume, volumeNote], [paid, paidNote], [net, netNote]] = [
    sum('volumeMinor'),
    sum('succeeded'),
    sum('netMinor'),
  ]
  const rate = is?.conversionBps ?? null
  return [
    { name: texts.moneyIn, value: money(volume), note: volumeNote },
    { name: texts.paidPayments, value: formats.count(paid), note: paidNote },
    {
      name: texts.conversion,
      value: rate === null ? '–' : formats.share(rate / 10_000),
      note: rate === null ? texts.noneOpened : pointsText(rate, was?.conversionBps, change, formats),
    },
    {
      name: texts.net,
      value: money(net),
      note: is && is.refundedMinor > 0 ? `${netNote}, ${texts.refunded(money(is.refundedMinor))}` : netNote,
    },
  ]
}

/** The days of the figures, and those that they are compared with. */
export const useComparedDays = (figures: ShownFigures | undefined): string | undefined => {
  const texts = useAnalyticsTexts()
  const { locale } = useReader()
  // Beyond a limit there is none, and a range that ends before it begins cannot be written.
  if (!figures?.before) return undefined
  return texts.comparedWith(daysText(figures.period, locale), daysText(figures.previous, locale))
}

/** What is subscribed, owed and credited now; undefined in a shop without billing. */
export const useBillingFigures = (
  { summary }: ShownFigures,
  currency: string | undefined,
): readonly FigureText[] | undefined => {
  const texts = useAnalyticsTexts()
  const { formats } = useReader()
  const billing = summary.billing.find(each => each.currency === currency)
  if (!billing) return undefined
  const { mrrMinor, overdueMinor, overdueCount, creditMinor, subscriptions } = billing
  const money = (minor: number) => formats.money(minor, billing.currency)
  return [
    { name: texts.mrr, value: money(mrrMinor), note: texts.subscribed(subscriptions.active + subscriptions.past_due) },
    { name: texts.overdue, value: money(overdueMinor), note: texts.overdueInvoices(overdueCount) },
    { name: texts.credit, value: money(creditMinor), note: texts.creditWhat },
  ]
}
