import type { PaymentWithCrypto } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { useShopQuery } from '../shell/queries.ts'
import { useHomeTexts } from './texts.ts'

const MOST = 100

type Sums = { readonly count: string; readonly byCurrency: ReadonlyMap<string, number>; readonly hasMore: boolean }

type Facts = { readonly waiting: Sums; readonly confirming: Sums; readonly decisions: Sums }

/** Money that is on its way. Sums are of the latest hundred payments, and say so by a plus if there are more. */
export const useWaiting = () => {
  const { formats } = useReader()
  const sumsOf = ({ data, has_more: hasMore }: { data: readonly PaymentWithCrypto[]; has_more: boolean }): Sums => {
    const byCurrency = new Map<string, number>()
    for (const { currency, amountMinor } of data)
      byCurrency.set(currency, (byCurrency.get(currency) ?? 0) + amountMinor)
    return { count: `${formats.count(data.length)}${hasMore ? '+' : ''}`, byCurrency, hasMore }
  }
  return useShopQuery(['home', 'waiting'], async ({ call, ...scope }, signal): Promise<Facts> => {
    const read = async (filter: object) =>
      sumsOf(await call('listPayments', { ...scope, limit: MOST, ...filter }, { signal }))
    const [waiting, confirming, decisions] = await Promise.all([
      read({ status: ['pending'] }),
      read({ status: ['processing'] }),
      read({ attention: 'true' }),
    ])
    return { waiting, confirming, decisions }
  }).value
}

export const WaitingFigures = (facts: Facts) => {
  const texts = useHomeTexts()
  const figures = [
    [texts.waiting, facts.waiting],
    [texts.confirming, facts.confirming],
    [texts.decisions, facts.decisions],
  ] as const
  return (
    <dl class="figures">
      {figures.map(([name, sums]) => (
        <Figure key={name} name={name} sums={sums} />
      ))}
    </dl>
  )
}

const Figure = ({ name, sums: { count, byCurrency, hasMore } }: { readonly name: string; readonly sums: Sums }) => {
  const texts = useHomeTexts()
  const { formats } = useReader()
  const amounts = [...byCurrency]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([currency, minor]) => `${formats.money(minor, currency)}${hasMore ? '+' : ''}`)
  return (
    <div data-none={count === '0'}>
      <dt>{name}</dt>
      <dd>{amounts.length === 0 ? '–' : amounts.map(each => <span key={each}>{each}</span>)}</dd>
      <dd class="quiet">{count === '0' ? texts.none : texts.payments(count)}</dd>
    </div>
  )
}
