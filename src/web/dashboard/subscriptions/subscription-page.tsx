import type { ComponentChildren } from 'preact'
import { useRoute } from 'preact-iso'
import type { SubscriptionWithLines } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { StateBadge, StateStrip } from '../../parts/state-strip.tsx'
import { nameOfCustomer } from '../customers/customer-name.ts'
import { useCustomer } from '../customers/use-customer.ts'
import { RecordEvents } from '../events/record-events.tsx'
import { InvoicesTable } from '../invoices/invoices-table.tsx'
import { ShareAddress } from '../links/share-address.tsx'
import { PriceTable } from '../plans/price-table.tsx'
import { TermsSentences } from '../plans/terms-sentences.tsx'
import { usePlansTexts } from '../plans/texts.ts'
import { usePlan } from '../plans/use-plan.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { RecordJson, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useAddress } from '../shell/shop.ts'
import { ClockBar } from '../test-clocks/clock-bar.tsx'
import { NextInvoice } from './next-invoice.tsx'
import { boundariesOf, nextStepOf, stepSentence } from './next-step.ts'
import { SubscriptionActions } from './subscription-actions.tsx'
import { SubscriptionDetails } from './subscription-details.tsx'
import { SubscriptionNotes } from './subscription-notes.tsx'
import { SubscriptionPeriods } from './subscription-periods.tsx'
import { isSubscriptionOver, subscriptionPath } from './subscription-state.ts'
import { useSubscriptionsTexts } from './texts.ts'
import { type SubscriptionInvoices, useInvoicesOfSubscription, useSubscription } from './use-subscription.ts'

export const SubscriptionPage = () => {
  const { id = '' } = useRoute().params
  const texts = useSubscriptionsTexts()
  const address = useAddress()
  const result = useSubscription(id)
  const read = useInvoicesOfSubscription(id)
  const subscription = result.data
  return (
    <>
      <PageHead
        title={texts.one}
        back={{ href: address('subscriptions'), label: texts.title }}
        heading={<Heading subscription={subscription} />}
        lead={subscription ? <Subtitle subscription={subscription} /> : <ShortHex value={id} what={texts.id} />}
        actions={subscription && <SubscriptionActions subscription={subscription} invoices={read.invoices ?? []} />}
      />
      <OwnersNote />
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => <OneSubscription subscription={found} read={read} />}
      </Result>
    </>
  )
}

type SubscriptionProps = { readonly subscription: SubscriptionWithLines }

const Heading = ({ subscription }: { readonly subscription: SubscriptionWithLines | undefined }) => {
  const texts = useSubscriptionsTexts()
  const { per } = usePlansTexts()
  const { formats } = useReader()
  if (!subscription) return <span class="amount">…</span>
  const { amountMinor, currency, interval, intervalCount } = subscription
  return (
    <>
      <span class="sr">{texts.one}</span>{' '}
      <span class="amount">
        {formats.money(amountMinor, currency)}
        <small> {per[interval](intervalCount)}</small>
      </span>
    </>
  )
}

const Subtitle = ({ subscription }: SubscriptionProps) => {
  const texts = useSubscriptionsTexts()
  const address = useAddress()
  const { id, customerId, planId } = subscription
  const customer = useCustomer(customerId).data
  return (
    <span class="sub">
      <StateBadge path={subscriptionPath(subscription, texts)} />
      {customer && <a href={address('customers', customerId)}>{nameOfCustomer(customer)}</a>}
      {planId === null ? <span>{texts.noPlan}</span> : <PlanLink id={planId} />}
      <ShortHex value={id} what={texts.id} />
    </span>
  )
}

export const PlanLink = ({ id }: { readonly id: string }) => {
  const address = useAddress()
  return <a href={address('plans', id)}>{usePlan(id).data?.name ?? id}</a>
}

type OneSubscriptionProps = SubscriptionProps & { readonly read: SubscriptionInvoices }

const OneSubscription = ({ subscription, read }: OneSubscriptionProps) => {
  const { invoices } = read
  const texts = useSubscriptionsTexts()
  const address = useAddress()
  const { formats } = useReader()
  const step = nextStepOf(subscription, invoices)
  const { access, endReason, testClockId, customerId, url } = subscription
  const { granted, until } = access
  return (
    <>
      {testClockId !== null && (
        <ClockBar id={testClockId} customerId={customerId} boundaries={boundariesOf(subscription)} />
      )}
      <div class="band">
        <StateStrip
          label={texts.state}
          path={subscriptionPath(subscription, texts)}
          notes={useStripNotes(subscription)}
        />
        <p class="next-step">
          <b>{stepSentence(step, subscription, texts, formats)}</b>
          <span>
            {endReason !== null && texts.reasons[endReason]}{' '}
            {!granted
              ? texts.access.none
              : until === null
                ? texts.access.granted
                : texts.access.until(formats.date(until))}
          </span>
        </p>
      </div>
      <SubscriptionNotes subscription={subscription} invoices={invoices ?? []} />
      <div class="split split--ended">
        <div>
          {invoices && <SubscriptionPeriods {...read} subscription={subscription} invoices={invoices} />}
          <Section
            title={texts.invoices}
            aside={<a href={`${address('invoices')}?subscription=${subscription.id}`}>{texts.allInvoices}</a>}
          >
            {invoices?.length === 0 && <p class="quiet">{texts.noInvoices}</p>}
            {invoices === undefined && <SkeletonRows rows={3} />}
            {invoices && invoices.length > 0 && <InvoicesTable rows={invoices.slice(0, LATEST)} narrow />}
          </Section>
          {isSubscriptionOver(subscription) || subscription.status === 'incomplete' ? (
            <PriceTable price={subscription} />
          ) : (
            <NextInvoice subscription={subscription} />
          )}
        </div>
        <div>
          {url !== null && (
            <Section title={texts.rotate.title}>
              <p class="quiet">{texts.rotate.what}</p>
              <ShareAddress url={url} open={texts.rotate.open} />
            </Section>
          )}
          <Section title={texts.terms}>
            <TermsSentences
              terms={{ ...subscription, trialDays: 0, assets: null }}
              hasBegun={subscription.status !== 'incomplete'}
            />
          </Section>
          <SubscriptionDetails subscription={subscription} />
        </div>
        <div>
          <RecordEvents id={subscription.id} />
          <RecordJson record={subscription} />
        </div>
      </div>
    </>
  )
}

const LATEST = 5

/** Under each mark: when it was reached. */
const useStripNotes = (subscription: SubscriptionWithLines): readonly ComponentChildren[] => {
  const { formats } = useReader()
  const { status, createdAt, trialEndsAt, anchorAt, periodStart, endedAt } = subscription
  const hasBegun = periodStart !== null || (isSubscriptionOver(subscription) && status !== 'expired')
  return [
    trialEndsAt === null ? formats.date(status === 'incomplete' ? createdAt : anchorAt) : formats.date(trialEndsAt),
    hasBegun && periodStart !== null ? formats.date(periodStart) : undefined,
    endedAt === null ? undefined : formats.date(endedAt),
  ]
}
