import type { SubscriptionWithLines } from '../../api/calls.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useReader } from '../../parts/reader.ts'
import { nameOfCustomer } from '../customers/customer-name.ts'
import { useCustomer } from '../customers/use-customer.ts'
import { Facts, Section } from '../shell/record.tsx'
import { useAddress } from '../shell/shop.ts'
import { useSubscriptionsTexts } from './texts.ts'

type SubscriptionProps = { readonly subscription: SubscriptionWithLines }

/** The customer, the times and the texts of a subscription. */
export const SubscriptionDetails = ({ subscription }: SubscriptionProps) => {
  const { details: texts, customer, reference: referenceLabel, id: idLabel } = useSubscriptionsTexts()
  const { formats } = useReader()
  const { id, status, anchorAt, trialEndsAt, resumesAt, pendingChange, source, reference } = subscription
  const { currency, createdAt, canceledAt, endedAt, testClockId, metadata } = subscription
  const moment = (at: string | null) => at !== null && <Moment at={at} />
  return (
    <Section title={texts.title}>
      <Facts
        facts={[
          [customer, <Customer id={subscription.customerId} />],
          [texts.anchor, status === 'incomplete' ? texts.begins : moment(anchorAt)],
          [texts.trialEnds, moment(trialEndsAt)],
          [texts.resumesAt, moment(resumesAt)],
          pendingChange === null
            ? ['', null]
            : [texts.pending(pendingChange.periodIndex + 1), formats.money(pendingChange.amountMinor, currency)],
          [referenceLabel, reference],
          [texts.source, texts.sources[source]],
          [
            idLabel,
            <>
              <code>{id}</code> <CopyButton value={id} what={idLabel} />
            </>,
          ],
          [texts.status, <code>{status}</code>],
          [texts.created, moment(createdAt)],
          [texts.canceled, moment(canceledAt)],
          [texts.ended, moment(endedAt)],
          [texts.clock, testClockId !== null && <code>{testClockId}</code>],
          ...Object.entries(metadata).map(([key, value]) => [<code>{key}</code>, value] as const),
        ]}
      />
    </Section>
  )
}

const Customer = ({ id }: { readonly id: string }) => {
  const address = useAddress()
  const { data } = useCustomer(id)
  return (
    <>
      <a href={address('customers', id)}>{data ? nameOfCustomer(data) : id}</a>
      {data && nameOfCustomer(data) !== data.email && <span class="under">{data.email}</span>}
    </>
  )
}
