import { useState } from 'preact/hooks'
import type { InvoiceWithLines, SubscriptionWithLines } from '../../api/calls.ts'
import { FiatAmount } from '../../parts/money.tsx'
import { useReader } from '../../parts/reader.ts'
import { StateMark, type StateShape } from '../../parts/state-mark.tsx'
import { StateBadge } from '../../parts/state-strip.tsx'
import { invoicePath } from '../invoices/invoice-state.ts'
import { useInvoicesTexts } from '../invoices/texts.ts'
import { Section } from '../shell/record.tsx'
import { useAddress } from '../shell/shop.ts'
import { periodsOf, type ShownPeriod } from './periods.ts'
import { useSubscriptionsTexts } from './texts.ts'
import type { SubscriptionInvoices } from './use-subscription.ts'

type SubscriptionPeriodsProps = Omit<SubscriptionInvoices, 'invoices'> & {
  readonly subscription: SubscriptionWithLines
  readonly invoices: readonly InvoiceWithLines[]
}

/** A year of months. */
const SHOWN = 12

/** The periods of a subscription with their dates, each with its invoice: those that are over, the present and the next one. */
export const SubscriptionPeriods = ({
  subscription,
  invoices,
  hasMore,
  isReading,
  showOlder,
}: SubscriptionPeriodsProps) => {
  const { timeline: texts } = useSubscriptionsTexts()
  const { formats } = useReader()
  const [isWhole, setWhole] = useState(false)
  const periods = periodsOf(subscription, invoices, hasMore)
  const shown = isWhole ? periods : periods.slice(0, SHOWN)
  const { trialEndsAt, createdAt, status } = subscription
  return (
    <Section title={texts.title} aside={texts.aside}>
      {periods.length === 0 && trialEndsAt === null && <p class="quiet">{texts.none}</p>}
      <ol class="timeline">
        {shown.map(period => (
          <OnePeriod key={period.index} period={period} subscription={subscription} />
        ))}
        {trialEndsAt !== null && shown.length === periods.length && !hasMore && (
          <li>
            <StateMark shape={status === 'trialing' ? 'now' : 'passed'} />
            <div>
              <b>{texts.trial}</b>
              <p>{texts.dates(formats.date(createdAt), formats.date(trialEndsAt))}</p>
            </div>
            <span class="timeline__place">{status === 'trialing' && texts.now}</span>
          </li>
        )}
      </ol>
      {shown.length < periods.length && (
        <p class="buttons">
          <button type="button" class="button button--small" onClick={() => setWhole(true)}>
            {texts.showAll(formats.count(periods.length))}
          </button>
        </p>
      )}
      {hasMore && shown.length === periods.length && (
        <p class="buttons">
          <button
            type="button"
            class="button button--small"
            aria-disabled={isReading}
            onClick={() => !isReading && showOlder()}
          >
            {texts.older}
          </button>
        </p>
      )}
    </Section>
  )
}

type OnePeriodProps = { readonly period: ShownPeriod; readonly subscription: SubscriptionWithLines }

const OnePeriod = ({ period, subscription }: OnePeriodProps) => {
  const { timeline: texts } = useSubscriptionsTexts()
  const { states } = useInvoicesTexts()
  const { formats } = useReader()
  const address = useAddress()
  const { index, start, end, place, invoice } = period
  const { status, nextInvoiceAt } = subscription
  const isOwed = status === 'past_due' && place === 'now'
  const shape: StateShape = isOwed ? 'warn' : place === 'past' ? 'passed' : place
  return (
    <li data-tone={isOwed ? 'warn' : undefined}>
      <StateMark shape={shape} />
      <div>
        <b>
          {texts.period(formats.count(index + 1))}
          {start !== null && end !== null && (
            <span class="timeline__dates"> {texts.dates(formats.date(start), formats.date(end))}</span>
          )}
        </b>
        {invoice ? (
          <p class="sub">
            <StateBadge path={invoicePath(invoice, states)} />
            <a href={address('invoices', invoice.id)}>{invoice.number ?? invoice.id}</a>
            <FiatAmount minor={invoice.totalMinor} currency={invoice.currency} />
          </p>
        ) : (
          <p>
            {status === 'incomplete'
              ? texts.first
              : place === 'next' && nextInvoiceAt !== null
                ? texts.notIssued(formats.date(nextInvoiceAt))
                : texts.noInvoice}
          </p>
        )}
      </div>
      <span class="timeline__place">{place !== 'past' && texts[place]}</span>
    </li>
  )
}
