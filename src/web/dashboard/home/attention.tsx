import type { ComponentChildren } from 'preact'
import type { PaymentWithCrypto, WebhookEndpoint } from '../../api/calls.ts'
import { useReader } from '../../parts/reader.ts'
import { StateMark } from '../../parts/state-mark.tsx'
import { isRetried } from '../deliveries/delivery-state.ts'
import { type EndpointHealth, healthOf } from '../deliveries/endpoint-health.ts'
import { withoutProtocol } from '../deliveries/endpoint-name.ts'
import { useDeliveriesTexts } from '../deliveries/texts.ts'
import { paymentPath } from '../payments/payment-state.ts'
import { isManual } from '../refunds/refund-state.ts'
import { useShopQuery } from '../shell/queries.ts'
import { useAddress } from '../shell/shop.ts'
import { useShownEmail } from '../shell/shown-email.ts'
import { useTexts } from '../shell/texts.ts'
import { useHomeTexts } from './texts.ts'

const MOST = 5

type Facts = {
  readonly payments: readonly PaymentWithCrypto[]
  readonly hasMorePayments: boolean
  /** `5+` if there are more than were read. */
  readonly refunds: string
  /** Those that the server has disabled. */
  readonly endpoints: readonly WebhookEndpoint[]
  readonly failedDeliveries: string
  /** Deliveries with a failed attempt that are tried again. */
  readonly retriedDeliveries: string
  /** The answers to them. */
  readonly retrying: EndpointHealth
}

/** What does not go on without a person. */
export const useAttention = () => {
  const { formats } = useReader()
  return useShopQuery(['home', 'attention'], async ({ call, ...scope }, signal): Promise<Facts> => {
    const countOf = (count: number, hasMore: boolean) => `${formats.count(count)}${hasMore && count > 0 ? '+' : ''}`
    const [payments, refunds, unsigned, endpoints, failed, pending] = await Promise.all([
      call('listPayments', { ...scope, attention: 'true', limit: MOST }, { signal }),
      call('listRefunds', { ...scope, attention: 'true', limit: 25 }, { signal }),
      call('listRefunds', { ...scope, status: ['requires_signature'], limit: 100 }, { signal }),
      call('listWebhookEndpoints', { ...scope, limit: 100 }, { signal }),
      call('listAllWebhookDeliveries', { ...scope, status: 'failed', limit: 25 }, { signal }),
      call('listAllWebhookDeliveries', { ...scope, status: 'pending', limit: 100 }, { signal }),
    ])
    // A refund that a member signs needs one from its first minute on, without attention.
    const waiting = new Set([...refunds.data, ...unsigned.data.filter(isManual)].map(({ id }) => id))
    return {
      payments: payments.data,
      hasMorePayments: payments.has_more,
      refunds: countOf(waiting.size, refunds.has_more || unsigned.has_more),
      endpoints: endpoints.data.filter(each => each.disabledReason !== null && each.disabledReason !== 'by_merchant'),
      failedDeliveries: countOf(failed.data.length, failed.has_more),
      retriedDeliveries: countOf(
        pending.data.filter(isRetried).length,
        pending.has_more && pending.data.some(isRetried),
      ),
      retrying: healthOf(pending.data),
    }
  }).value
}

type AttentionListProps = Facts & { readonly overdueInvoices: number }

export const AttentionList = ({
  payments,
  hasMorePayments,
  refunds,
  endpoints,
  failedDeliveries,
  retriedDeliveries,
  retrying,
  overdueInvoices,
}: AttentionListProps) => {
  const texts = useHomeTexts()
  const { states } = useTexts()
  const shownEmail = useShownEmail()
  const { formats } = useReader()
  const address = useAddress()
  const isEmpty =
    payments.length + endpoints.length + overdueInvoices === 0 &&
    refunds === '0' &&
    failedDeliveries === '0' &&
    retriedDeliveries === '0'
  if (isEmpty) return <p class="quiet">{texts.nothing}</p>
  return (
    <ul class="asks">
      {payments.map(payment => {
        const { words, at, word } = paymentPath(payment, states)
        return (
          <Ask
            key={payment.id}
            href={address('payments', payment.id)}
            title={`${formats.money(payment.amountMinor, payment.currency)}: ${word ?? words[at]}`}
          >
            {texts.paymentWhat(shownEmail(payment.customerEmail))}
          </Ask>
        )
      })}
      {hasMorePayments && (
        <Ask href={`${address('payments')}?attention=true`} title={texts.morePayments}>
          {texts.morePaymentsWhat}
        </Ask>
      )}
      {refunds !== '0' && (
        <Ask href={address('refunds')} title={texts.refunds(refunds)}>
          {texts.refundsWhat}
        </Ask>
      )}
      {overdueInvoices > 0 && (
        <Ask
          href={`${address('invoices')}?overdue=true`}
          title={texts.overdueInvoices(overdueInvoices, formats.count(overdueInvoices))}
        >
          {texts.overdueInvoicesWhat}
        </Ask>
      )}
      {endpoints.map(({ id, url }) => (
        <Ask key={id} href={address('webhooks', id)} isBad title={texts.endpointOff(withoutProtocol(url))}>
          {texts.endpointOffWhat}
        </Ask>
      ))}
      {retriedDeliveries !== '0' && (
        <Ask href={`${address('deliveries')}?status=pending`} title={texts.retriedDeliveries(retriedDeliveries)}>
          <Retrying health={retrying} />
        </Ask>
      )}
      {failedDeliveries !== '0' && (
        <Ask href={`${address('deliveries')}?status=failed`} isBad title={texts.failedDeliveries(failedDeliveries)}>
          {texts.failedDeliveriesWhat}
        </Ask>
      )}
    </ul>
  )
}

/** Since when a server does not accept deliveries, and why. */
const Retrying = ({ health }: { readonly health: EndpointHealth }) => {
  const texts = useHomeTexts()
  const { outcomes } = useDeliveriesTexts()
  const { formats, now } = useReader()
  if (health.state === 'unused' || health.state === 'healthy' || health.last.outcome === null) return null
  const { outcome, httpStatus } = health.last
  const why = outcomes[outcome] + (httpStatus === null ? '' : ` (${httpStatus})`)
  return texts.retriedDeliveriesWhat(formats.listed(health.since, now.value), why)
}

type AskProps = {
  readonly title: string
  readonly href: string
  readonly isBad?: boolean
  readonly children: ComponentChildren
}

const Ask = ({ title, href, isBad, children }: AskProps) => {
  const texts = useHomeTexts()
  return (
    <li data-tone={isBad ? 'bad' : 'warn'}>
      <StateMark shape={isBad ? 'bad' : 'warn'} />
      <div>
        <b>{title}</b>
        <p>{children}</p>
      </div>
      <a class="button button--small" href={href} aria-label={`${texts.open}: ${title}`}>
        {texts.open}
      </a>
    </li>
  )
}
