import type { PaymentLink, PaymentWithCrypto, Settings, WebhookEndpoint } from '../../api/calls.ts'
import { useShopQuery } from '../shell/queries.ts'
import { useShop } from '../shell/shop.ts'

/** The records that show which steps have been done. */
export type FirstHour = {
  readonly settings: Settings
  readonly link: PaymentLink | undefined
  /** The latest one that waits for money. */
  readonly pending: PaymentWithCrypto | undefined
  /** A payment link. Payments of invoices say nothing about links. */
  readonly hasPaid: boolean
  readonly inbox: WebhookEndpoint | undefined
  readonly hasDelivered: boolean
  readonly hasKey: boolean
  readonly hasMfa: boolean
}

/** A shop with so many payments of invoices has left its first hour behind. */
const MANY = 10

export const useFirstHour = () => {
  const { account } = useShop()
  return useShopQuery(['home', 'first-hour'], async ({ merchantId, livemode, call }, signal): Promise<FirstHour> => {
    const scope = { merchantId, livemode }
    const [settings, links, pending, paid, endpoints, delivered, keys] = await Promise.all([
      call('getSettings', scope, { signal }),
      call('listPaymentLinks', { ...scope, limit: 1, status: ['active'] }, { signal }),
      call('listPayments', { ...scope, limit: 1, status: ['pending'] }, { signal }),
      call('listPayments', { ...scope, limit: MANY, status: ['success'] }, { signal }),
      call('listWebhookEndpoints', { ...scope, limit: 100 }, { signal }),
      call('listAllWebhookDeliveries', { ...scope, limit: 1, status: 'delivered' }, { signal }),
      call('listApiKeys', { ...scope, limit: 100 }, { signal }),
    ])
    return {
      settings,
      link: links.data[0],
      pending: pending.data[0],
      hasPaid: paid.data.length === MANY || paid.data.some(({ invoiceId }) => invoiceId === null),
      inbox: endpoints.data.find(({ inbox }) => inbox),
      hasDelivered: delivered.data.length > 0,
      hasKey: keys.data.some(({ revokedAt }) => revokedAt === null),
      hasMfa: account.user.mfaEnabled,
    }
  }).value
}

export type StepName = 'account' | 'shop' | 'address' | 'wallet' | 'link' | 'pay' | 'webhook' | 'key' | 'mfa'

export type Step = { readonly name: StepName; readonly isDone: boolean }

type Reader = { readonly livemode: boolean; readonly isOwner: boolean }

/**
 * In test mode, money goes to the sandbox wallet until an address is set. In live mode nothing can be tried out. Only owners
 * set addresses.
 */
export const stepsOf = (facts: FirstHour, { livemode, isOwner }: Reader): readonly Step[] => {
  const hasAddress = facts.settings.receivingAddress !== null
  const step = (name: StepName, isDone: boolean): Step => ({ name, isDone })
  return [
    step('account', true),
    step('shop', facts.settings.name !== ''),
    ...(livemode || hasAddress ? [] : [step('wallet', true)]),
    ...(hasAddress || (livemode && isOwner) ? [step('address', hasAddress)] : []),
    step('link', facts.link !== undefined || facts.hasPaid),
    ...(livemode ? [] : [step('pay', facts.hasPaid), step('webhook', facts.hasDelivered)]),
    step('key', facts.hasKey),
    step('mfa', facts.hasMfa),
  ]
}
