import { useEffect } from 'preact/hooks'
import type { PaymentWithCrypto } from '../../api/calls.ts'
import { Icon } from '../../parts/icon.tsx'
import { Loading, SkeletonRows } from '../../parts/skeleton.tsx'
import { usePeriodQuery } from '../analytics/period-controls.tsx'
import { useAnalyticsTexts } from '../analytics/texts.ts'
import { useFigures } from '../analytics/use-figures.ts'
import { PaymentsTable } from '../payments/payments-page.tsx'
import { useLive } from '../shell/live.ts'
import { countNew } from '../shell/new-records.ts'
import { NewRows } from '../shell/new-rows.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import type { ListPage } from '../shell/pages.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { hasFailed, Result } from '../shell/result.tsx'
import { useAddress, useCanWrite, useIsOwner, useShop } from '../shell/shop.ts'
import { useTexts } from '../shell/texts.ts'
import { AttentionList, useAttention } from './attention.tsx'
import { Checklist } from './checklist.tsx'
import { type FirstHour, stepsOf, useFirstHour } from './first-hour.ts'
import { PeriodSection } from './period-section.tsx'
import { useHomeTexts } from './texts.ts'
import { useWaiting, WaitingFigures } from './waiting.tsx'

const LATEST = 6

/** The first page of a shop: open decisions, pending money, and the latest payments. A new shop sees the setup steps. */
export const HomePage = () => {
  const texts = useHomeTexts()
  const { livemode } = useShop()
  const canWrite = useCanWrite()
  const latest = useShopQuery(['payments', 'latest'], async ({ call, ...scope }, signal) => {
    const { data, has_more } = await call('listPayments', { ...scope, limit: LATEST }, { signal })
    return { rows: data, hasNewer: false, hasOlder: has_more } satisfies ListPage<PaymentWithCrypto>
  }).value
  const firstHour = useFirstHour()
  const attention = useAttention()
  const waiting = useWaiting()
  const { isCompared: _, ...period } = usePeriodQuery()
  const figures = useFigures(period)
  const isEmpty = latest.data?.rows.length === 0
  const isNew = canWrite && isEmpty
  const live = useLive()?.rows.payments
  const refresh = useRefresh()
  const newCount = live ? countNew(live.created.value, latest.data?.rows ?? []) : 0
  // There are no rows that the first payment would push.
  useEffect(() => {
    if (!isEmpty || newCount === 0) return
    live?.forgetCreated()
    void Promise.all([refresh('payments'), refresh('home')])
  }, [isEmpty, newCount])
  return (
    <>
      <PageHead
        title={isNew && !livemode ? texts.firstTitle : texts.title}
        {...(isNew && !livemode && { lead: texts.firstWhat })}
        actions={canWrite && !isNew && <NewLink />}
      />
      <OwnersNote />
      <Result result={latest} skeleton={<SkeletonRows rows={10} />}>
        {page =>
          isNew ? (
            <Result result={firstHour} skeleton={<SkeletonRows rows={8} />}>
              {facts => <NewShop facts={facts} />}
            </Result>
          ) : (
            <Overview
              rows={page.rows}
              attention={attention}
              waiting={waiting}
              figures={figures}
              firstHour={canWrite ? firstHour : undefined}
            />
          )
        }
      </Result>
    </>
  )
}

const NewLink = () => {
  const texts = useHomeTexts()
  const address = useAddress()
  return (
    <a class="button button--primary" href={address('links', 'new')}>
      <Icon name="plus" />
      {texts.newLink}
    </a>
  )
}

const NewShop = ({ facts }: { readonly facts: FirstHour }) => {
  const texts = useHomeTexts()
  const { moneyIn, conversion } = useAnalyticsTexts()
  return (
    <div class="beside">
      <section class="first" aria-label={texts.firstHour}>
        <Checklist facts={facts} />
      </section>
      <aside class="soon">
        <h2>{texts.soon}</h2>
        <ul>
          {[texts.needsYou, moneyIn, conversion, texts.waiting, texts.latest].map(each => (
            <li key={each}>{each}</li>
          ))}
        </ul>
        <p class="quiet">{texts.soonWhat}</p>
      </aside>
    </div>
  )
}

type OverviewProps = {
  readonly rows: readonly PaymentWithCrypto[]
  readonly attention: ReturnType<typeof useAttention>
  readonly waiting: ReturnType<typeof useWaiting>
  readonly figures: ReturnType<typeof useFigures>
  /** Undefined: the reader has nothing to set up. */
  readonly firstHour: ReturnType<typeof useFirstHour> | undefined
}

/** All of it is shown at once: a part that came later would move those below it. */
const Overview = ({ firstHour, ...facts }: OverviewProps) =>
  [facts.attention, facts.waiting, facts.figures, firstHour].some(each => each?.isPending && !hasFailed(each)) ? (
    <Loading skeleton={<SkeletonRows rows={10} />} onRetry={() => void facts.attention.refetch()} />
  ) : (
    <Parts {...facts} firstHour={firstHour?.data} />
  )

type PartsProps = Omit<OverviewProps, 'firstHour'> & { readonly firstHour: FirstHour | undefined }

const Parts = ({ rows, attention, waiting, figures, firstHour }: PartsProps) => {
  const texts = useHomeTexts()
  const { payments } = useTexts()
  const { livemode } = useShop()
  const address = useAddress()
  const isOwner = useIsOwner()
  const steps = firstHour ? stepsOf(firstHour, { livemode, isOwner }) : []
  const done = steps.filter(({ isDone }) => isDone).length
  const hasSteps = done < steps.length
  const overdue = figures.data?.summary.attention.find(({ kind }) => kind === 'overdue_invoices')
  return (
    <>
      <section class="asked" aria-label={texts.needsYou}>
        <h2>{texts.needsYou}</h2>
        <Result result={attention} skeleton={<SkeletonRows rows={2} />}>
          {facts => <AttentionList {...facts} overdueInvoices={overdue?.count ?? 0} />}
        </Result>
      </section>
      <PeriodSection result={figures} />
      <Section title={texts.now}>
        <Result result={waiting} skeleton={<SkeletonRows rows={2} />}>
          {facts => <WaitingFigures {...facts} />}
        </Result>
      </Section>
      <div class={hasSteps ? 'split' : undefined}>
        <Section title={texts.latest} aside={<a href={address('payments')}>{texts.all}</a>}>
          <NewRows section="payments" rows={rows} words={payments.fresh} />
          {rows.length === 0 ? (
            <p class="quiet">{payments.emptyWhat}</p>
          ) : (
            <PaymentsTable rows={rows} narrow={hasSteps} />
          )}
        </Section>
        {hasSteps && firstHour && (
          <Section title={texts.firstHour} aside={texts.done(done, steps.length)}>
            <Checklist facts={firstHour} />
          </Section>
        )}
      </div>
    </>
  )
}
