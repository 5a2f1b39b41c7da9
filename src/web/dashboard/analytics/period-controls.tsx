import { isSameZone } from '../../../billing/days.ts'
import { Pick, PickDay, PickToggle, useAddressQuery } from '../shell/filters.tsx'
import { type BucketName, type PeriodQuery, periodQueryOf, rangeNames } from './period.ts'
import { useAnalyticsTexts } from './texts.ts'
import type { ShownFigures } from './use-figures.ts'

/** What the address says about the period of a page. */
export const usePeriodQuery = (): PeriodQuery & { readonly isCompared: boolean } => {
  const { get } = useAddressQuery()
  return { ...periodQueryOf(get), isCompared: get('compare') === 'true' }
}

type PeriodPicksProps = { readonly figures: ShownFigures | undefined }

/** The period, and whether it is compared with the one before. */
export const PeriodPicks = ({ figures }: PeriodPicksProps) => {
  const texts = useAnalyticsTexts()
  const query = useAddressQuery()
  const { range, first, last, isCompared } = usePeriodQuery()
  // A period of one's own begins as the one that is shown.
  const shown = figures && { from: figures.period.from, to: dayBefore(figures.period.to) }
  return (
    <>
      <Pick
        label={texts.period}
        all={texts.ranges['30d']}
        value={range === '30d' ? '' : range}
        options={rangeNames.filter(each => each !== '30d').map(each => [each, texts.ranges[each]])}
        onPick={value =>
          query.filter({ range: value, ...(value === 'custom' ? shown : { from: undefined, to: undefined }) })
        }
      />
      {range === 'custom' && (
        <>
          <PickDay label={texts.from} value={first ?? shown?.from ?? ''} onPick={day => query.filter({ from: day })} />
          <PickDay label={texts.to} value={last ?? shown?.to ?? ''} onPick={day => query.filter({ to: day })} />
        </>
      )}
      <PickToggle isOn={isCompared} onToggle={() => query.filter({ compare: isCompared ? undefined : 'true' })}>
        {texts.compare}
      </PickToggle>
    </>
  )
}

const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

type CurrencyPickProps = { readonly currencies: readonly string[]; readonly currency: string | undefined }

/** Sums of different currencies are never added: one of them is shown. */
export const CurrencyPick = ({ currencies: [first, ...others], currency }: CurrencyPickProps) => {
  const texts = useAnalyticsTexts()
  const query = useAddressQuery()
  if (first === undefined || others.length === 0) return null
  return (
    <Pick
      label={texts.currency}
      all={first}
      value={currency === first ? '' : (currency ?? '')}
      options={others.map(each => [each, each])}
      onPick={value => query.filter({ currency: value })}
    />
  )
}

/** The one that the address names, if it occurs. */
export const useCurrency = (currencies: readonly string[]): string | undefined => {
  const { get } = useAddressQuery()
  return currencies.find(each => each === get('currency')) ?? currencies[0]
}

export const bucketNames: readonly BucketName[] = ['hour', 'day', 'week', 'month']

export const BucketPick = ({ bucket }: { readonly bucket: BucketName | undefined }) => {
  const texts = useAnalyticsTexts()
  const query = useAddressQuery()
  return (
    <Pick
      label={texts.bucket}
      all={texts.automatic}
      value={bucket ?? ''}
      options={bucketNames.map(each => [each, texts.by[each]])}
      onPick={value => query.filter({ bucket: value })}
    />
  )
}

type ZonePickProps = { readonly own: string; readonly chosen: string | undefined }

/** That of the shop, of the reader, and UTC. The address can name any other. */
export const ZonePick = ({ own, chosen }: ZonePickProps) => {
  const texts = useAnalyticsTexts()
  const query = useAddressQuery()
  const mine = Intl.DateTimeFormat().resolvedOptions().timeZone
  const others = [mine, 'UTC', ...(chosen === undefined ? [] : [chosen])].filter(
    (each, n, all) => !isSameZone(each, own) && all.findIndex(other => isSameZone(other, each)) === n,
  )
  return (
    <Pick
      label={texts.timeZone}
      all={own}
      value={others.find(each => chosen !== undefined && isSameZone(each, chosen)) ?? ''}
      options={others.map(each => [each, each])}
      onPick={value => query.filter({ timeZone: value })}
    />
  )
}
