import type { Route } from '../route.ts'

export type Tag = { readonly name: string; readonly description: string }

/** The sections of the reference, in this order: endpoints for API keys, then the others, then those that members have too. */
export const tagsOf = (routes: readonly Route[]): readonly Tag[] => {
  const used = new Map(routes.map(route => [tagOf(route).name, tagOf(route)]))
  const order = Object.values(nouns).map(({ name }) => name)
  const placeOf = ({ name }: Tag) => (order.includes(name) ? order.indexOf(name) : order.length)
  return [...used.values()].sort((a, b) => placeOf(a) - placeOf(b))
}

/** The section of a route: the last noun of its path; all checkout routes are in one section. */
export const tagOf = ({ path, access }: Route): Tag => {
  const segments = path.split('/')
  const noun = segments.includes('checkout') ? 'checkout' : segments.findLast(segment => Object.hasOwn(nouns, segment))
  const tag = noun === undefined ? service : (nouns[noun] ?? service)
  if (access.by !== 'member' || !tag.both) return { name: tag.name, description: tag.description }
  return {
    name: `${tag.name} (dashboard)`,
    description: `${tag.description} The same endpoints for people who have signed in.`,
  }
}

const service: Tag & { readonly both?: true } = {
  name: 'Service',
  description: 'Health checks, metrics, the API reference, and the page of a payment link.',
}

/** By segment of the path. `both`: API keys and members have the same endpoints. */
const nouns: Readonly<Record<string, Tag & { readonly both?: true }>> = {
  'payment-links': {
    name: 'Payment links',
    description: 'A payment link asks for a fixed amount. Customers pay on its page.',
    both: true,
  },
  payments: {
    name: 'Payments',
    description:
      'A payment is created when a customer opens a payment link. It has a status, a deposit address and the transfers to it.',
    both: true,
  },
  refunds: { name: 'Refunds', description: 'A refund returns money of a payment to the customer.', both: true },
  disputes: {
    name: 'Disputes',
    description: 'A dispute simulates a chargeback: a customer disputes a payment with their bank. In test mode only.',
    both: true,
  },
  events: {
    name: 'Events',
    description: 'Events record changes, in order. Webhooks deliver them; you can also read them here.',
    both: true,
  },
  checkout: { name: 'Checkout', description: 'Endpoints for customers. The page of a payment link uses them.' },
  claims: { name: 'Refund claims', description: 'Page on which a customer enters the address for a refund.' },
  auth: {
    name: 'Accounts and sessions',
    description:
      'Sign-up, sign-in, passwords and multi-factor authentication. A sign-in returns an access token and sets a refresh cookie.',
  },
  'api-keys': { name: 'API keys', description: 'Your server authenticates with an API key.' },
  'webhook-endpoints': { name: 'Webhook endpoints', description: 'A webhook endpoint is a URL that receives events.' },
  deliveries: {
    name: 'Webhook deliveries',
    description: 'A delivery sends one event to one webhook endpoint, in one or more attempts.',
  },
  settings: {
    name: 'Settings',
    description: 'Name, branding, receiving addresses and payment policies of a merchant.',
  },
  balances: { name: 'Balances', description: 'Money at deposit addresses that has not been collected yet.' },
  collections: {
    name: 'Collections',
    description: 'A collection moves money from deposit addresses to your receiving address.',
  },
  'recovery-file': {
    name: 'Recovery file',
    description: 'File with which you can find and collect the money without this server.',
  },
  members: { name: 'Members', description: 'Accounts that have access to a merchant.' },
  invites: { name: 'Invites', description: 'An invite is a link that adds a member.' },
  'audit-log': {
    name: 'Audit log',
    description: 'Log of sensitive changes: who made them, when, and from which IP address.',
  },
}
