import { keepPreviousData } from '@tanstack/query-core'
import { useState } from 'preact/hooks'
import { BarList } from '../../parts/bar-list.tsx'
import { chartFormat } from '../../parts/chart-format.ts'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { networkNameOf } from '../shell/chains.ts'
import { Pick, useAddressQuery } from '../shell/filters.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { useNames } from '../shell/use-names.ts'
import { fileNameOf, fileNumber, unitIn } from './chart-file.ts'
import { type ChartColumn, ChartView } from './chart-view.tsx'
import { type KeySums, keySumsOf } from './key-sums.ts'
import { LimitNote } from './limit-note.tsx'
import { hasTimes, limitOf } from './period.ts'
import { useAnalyticsTexts } from './texts.ts'
import type { ShownFigures } from './use-figures.ts'

const kinds = ['asset', 'chain', 'link'] as const

type KeyKind = (typeof kinds)[number]

type BreakdownProps = { readonly figures: ShownFigures; readonly currency: string }

/** Money in by asset, network or link. */
export const BreakdownSection = ({ figures, currency }: BreakdownProps) => {
  const texts = useAnalyticsTexts()
  const query = useAddressQuery()
  const by = kinds.find(each => each === query.get('by')) ?? 'asset'
  const limit = limitOf(figures.period, { ...figures, bucket: 'month', hasKeys: true })
  return (
    <Section
      title={texts.breakdowns[by]}
      aside={
        <Pick
          label={texts.breakdown}
          all={texts.keys.asset}
          value={by === 'asset' ? '' : by}
          options={kinds.slice(1).map(each => [each, texts.keys[each]])}
          onPick={value => query.replace({ by: value })}
        />
      }
    >
      {limit === undefined ? <KeyFigures {...{ figures, currency, by }} /> : <LimitNote limit={limit} />}
    </Section>
  )
}

type KeyFiguresProps = BreakdownProps & { readonly by: KeyKind }

const KeyFigures = ({ figures: { period, timeZone, isOwnZone }, currency, by }: KeyFiguresProps) => {
  const result = useShopQuery(
    ['analytics', 'keys', { by, currency, period, timeZone }],
    async ({ call, ...scope }, signal) => {
      const zone = isOwnZone ? {} : { timeZone }
      const asked = { ...scope, ...period, ...zone, currency, breakdown: by, bucket: 'total' as const }
      return { by, sums: keySumsOf(await call('getAnalyticsSeries', asked, { signal }), currency) }
    },
    { placeholderData: keepPreviousData },
  ).value
  return (
    <Result result={result} skeleton={<SkeletonRows rows={5} />}>
      {found => (
        <div aria-busy={result.isPlaceholderData}>
          <KeyChart
            {...{ ...found, currency }}
            file={fileNameOf(`money-in-by-${found.by}`, period, currency)}
            // The API has none of links.
            isTimed={found.by !== 'link' && hasTimes(period, isOwnZone, 'month')}
          />
        </div>
      )}
    </Result>
  )
}

const FEW = 10

type KeyChartProps = {
  readonly by: KeyKind
  readonly sums: readonly KeySums[]
  readonly file: string
  readonly currency: string
  readonly isTimed: boolean
}

const KeyChart = ({ by, sums, file, currency, isTimed }: KeyChartProps) => {
  const texts = useAnalyticsTexts()
  const reader = useReader()
  const { formats } = reader
  const { exact: duration } = chartFormat('duration', reader)
  const address = useAddress()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? sums : sums.slice(0, FEW)
  // Where no asset was chosen there is no money: it is in the table, with what was opened.
  const paid = shown.filter(({ key }) => key !== null)
  const nameOf = useKeyNames(by, shown)
  const all = sums.reduce((total, { volumeMinor }) => total + volumeMinor, 0)
  const bps = ({ volumeMinor }: KeySums) => (all === 0 ? null : Math.round((volumeMinor * 10_000) / all))
  const share = (row: KeySums) => formats.share((bps(row) ?? 0) / 10_000)
  const timeColumn = (of: 'payMs' | 'finalMs'): ChartColumn<KeySums> => {
    const inFile = (percentile: 'p50' | 'p95') => ({
      fileHead: texts.keyTimes[of][percentile] + unitIn('duration', currency),
      fileCell: (row: KeySums) => fileNumber(row[of]?.[percentile] ?? null, 'duration', currency),
    })
    const cell = ({ [of]: times }: KeySums) =>
      times && (
        <span>
          {duration(times.p50)}
          <span class="table__under">{texts.keyMost(duration(times.p95))}</span>
        </span>
      )
    return {
      key: of,
      head: texts.keyHalf[of],
      card: 7,
      named: true,
      end: true,
      cell,
      ...inFile('p50'),
      under: inFile('p95'),
    }
  }
  const linked = (row: KeySums) =>
    row.key?.startsWith('plink_') ? <a href={address('links', row.key)}>{nameOf(row)}</a> : nameOf(row)
  const columns: readonly ChartColumn<KeySums>[] = [
    {
      ...{ key: 'key', head: texts.keys[by], card: 1, cell: linked },
      ...{ fileHead: texts.keys[by], fileCell: nameOf },
    },
    {
      ...{
        key: 'money',
        head: texts.moneyIn,
        card: 2,
        end: true,
        cell: row => formats.money(row.volumeMinor, currency),
      },
      fileHead: texts.moneyIn + unitIn('money', currency),
      fileCell: row => fileNumber(row.volumeMinor, 'money', currency),
    },
    {
      ...{ key: 'share', head: texts.shareOfMoney, card: 3, named: true, end: true, cell: share },
      ...{
        fileHead: texts.shareOfMoney + unitIn('share', currency),
        fileCell: row => fileNumber(bps(row), 'share', currency),
      },
    },
    {
      ...{ key: 'opened', head: texts.opened, card: 5, named: true, end: true, cell: row => formats.count(row.opened) },
      ...{ fileHead: texts.opened, fileCell: row => fileNumber(row.opened, 'count', currency) },
    },
    {
      ...{ key: 'paid', head: texts.paid, card: 6, named: true, end: true, cell: row => formats.count(row.succeeded) },
      ...{ fileHead: texts.paid, fileCell: row => fileNumber(row.succeeded, 'count', currency) },
    },
    ...(isTimed ? [timeColumn('payMs'), timeColumn('finalMs')] : []),
  ]
  return (
    <>
      <ChartView
        {...{ columns, file }}
        name="by"
        label={texts.breakdowns[by]}
        rows={shown}
        keyOf={({ key }) => String(key)}
      >
        <BarList
          label={texts.breakdowns[by]}
          // A whole bar is all of it, so that the bars are the shares beside them.
          top={Math.max(1, all)}
          bars={(paid.length > 0 ? paid : shown).map(row => ({
            ...{ key: String(row.key), name: linked(row), value: row.volumeMinor },
            ...{ text: formats.money(row.volumeMinor, currency), note: share(row) },
          }))}
        />
      </ChartView>
      {shown.length < sums.length && (
        <button type="button" class="button button--small" onClick={() => setWhole(true)}>
          {texts.showAll(sums.length)}
        </button>
      )}
    </>
  )
}

const useKeyNames = (by: KeyKind, rows: readonly KeySums[]): ((row: KeySums) => string) => {
  const texts = useAnalyticsTexts()
  const links = useNames(
    'links',
    by === 'link' ? rows.flatMap(({ key }) => (key?.startsWith('plink_') ? [key] : [])) : [],
    async ({ merchantId, call }, id, signal) => {
      const { title, description } = await call('getPaymentLink', { merchantId, id }, { signal })
      return title ?? description ?? id
    },
  )
  const rest: Readonly<Record<string, string>> = { other: texts.other, single_use: texts.singleUse }
  return ({ key }) => {
    if (key === null) return texts.noKey
    return rest[key] ?? (by === 'chain' ? networkNameOf(Number(key)) : (links.get(key) ?? key))
  }
}
