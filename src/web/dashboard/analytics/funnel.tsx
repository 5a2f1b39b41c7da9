import type { AnalyticsTotal } from '../../api/calls.ts'
import { BarList } from '../../parts/bar-list.tsx'
import { useReader } from '../../parts/reader.ts'
import { Section } from '../shell/record.tsx'
import { fileNameOf, fileNumber, unitIn } from './chart-file.ts'
import { type ChartColumn, ChartView } from './chart-view.tsx'
import type { FiguresPeriod } from './period.ts'
import { useAnalyticsTexts } from './texts.ts'

type FunnelProps = { readonly total: AnalyticsTotal; readonly period: FiguresPeriod }

type FunnelStep = { readonly key: string; readonly name: string; readonly count: number }

/** How many payments came how far. */
export const Funnel = ({ total, period }: FunnelProps) => {
  const texts = useAnalyticsTexts()
  const { formats } = useReader()
  const { currency, opened, picked, seen, succeeded } = total
  const steps: readonly FunnelStep[] = [
    { key: 'opened', name: texts.opened, count: opened },
    { key: 'picked', name: texts.picked, count: picked },
    { key: 'seen', name: texts.seen, count: seen },
    { key: 'paid', name: texts.paid, count: succeeded },
  ]
  const bps = ({ count }: FunnelStep) => (opened === 0 ? null : Math.round((count * 10_000) / opened))
  const share = (step: FunnelStep) => {
    const value = bps(step)
    return value === null ? null : formats.share(value / 10_000)
  }
  const columns: readonly ChartColumn<FunnelStep>[] = [
    {
      ...{ key: 'step', head: texts.step, card: 1, cell: ({ name }) => name },
      ...{ fileHead: texts.step, fileCell: ({ name }) => name },
    },
    {
      ...{ key: 'count', head: texts.payments, card: 2, end: true, cell: ({ count }) => formats.count(count) },
      ...{ fileHead: texts.payments, fileCell: ({ count }) => fileNumber(count, 'count', currency) },
    },
    {
      ...{ key: 'share', head: texts.shareOfOpened, card: 3, named: true, end: true, cell: share },
      ...{
        fileHead: texts.shareOfOpened + unitIn('share', currency),
        fileCell: step => fileNumber(bps(step), 'share', currency),
      },
    },
  ]
  return (
    <Section title={texts.funnel}>
      <ChartView
        name="funnel"
        label={texts.funnel}
        rows={steps}
        columns={columns}
        keyOf={({ key }) => key}
        file={fileNameOf('funnel', period, currency)}
        aside={texts.funnelWhat}
      >
        <BarList
          label={texts.funnel}
          bars={steps.map(step => ({
            ...{ key: step.key, name: step.name, value: step.count, text: formats.count(step.count) },
            note: step.key === 'opened' || opened === 0 ? undefined : texts.ofOpened(share(step) ?? ''),
          }))}
        />
      </ChartView>
    </Section>
  )
}
