import type { Route } from '../route.ts'

export type Tag = { readonly name: string; readonly description: string }

/** All headings: what servers call first, the same for people last. */
export const tagsOf = (routes: readonly Route[]): readonly Tag[] => {
  const used = new Map(routes.map(route => [tagOf(route).name, tagOf(route)]))
  const order = Object.values(nouns).map(({ name }) => name)
  const placeOf = ({ name }: Tag) => (order.includes(name) ? order.indexOf(name) : order.length)
  return [...used.values()].sort((a, b) => placeOf(a) - placeOf(b))
}

/** The heading a route stands under: the last noun of its path, unless it is for customers. */
export const tagOf = ({ path, access }: Route): Tag => {
  const segments = path.split('/')
  const noun = segments.includes('checkout') ? 'checkout' : segments.findLast(segment => Object.hasOwn(nouns, segment))
  const tag = noun === undefined ? service : (nouns[noun] ?? service)
  if (access.by !== 'member' || !tag.both) return { name: tag.name, description: tag.description }
  return { name: `${tag.name} for members`, description: `${tag.description} The same, for people who have signed in.` }
}

const service: Tag & { readonly both?: true } = {
  name: 'The service',
  description: 'This document, its pages, and how the process is.',
}

/** `both`: merchants' servers have it too. */
const nouns: Readonly<Record<string, Tag & { readonly both?: true }>> = {
  'payment-links': { name: 'Payment links', description: 'A fixed amount and a page to pay it on.', both: true },
  payments: { name: 'Payments', description: 'What customers have opened, and what has come of it.', both: true },
  refunds: { name: 'Refunds', description: 'Money on its way back.', both: true },
  disputes: {
    name: 'Disputes',
    description: 'How a customer who complains to their bank looks from here. In test mode only.',
    both: true,
  },
  events: {
    name: 'Events',
    description: 'Everything that happened, in order. What webhooks deliver can be read here too.',
    both: true,
  },
  checkout: { name: 'Checkout', description: 'What the page of a payment link calls, for customers.' },
  claims: { name: 'Refund claims', description: 'The page on which a customer says where a refund goes.' },
  auth: { name: 'Signing in', description: 'A sign-in leads to an access token and a refresh cookie.' },
  'api-keys': { name: 'API keys', description: 'What the servers of a merchant call with.' },
  'webhook-endpoints': { name: 'Webhook endpoints', description: 'Where a merchant is told of events.' },
  deliveries: { name: 'Webhook deliveries', description: 'Each event on its way to each endpoint that wanted it.' },
  settings: { name: 'Settings', description: 'Name, branding, receiving addresses and policies of a merchant.' },
  balances: { name: 'Balances', description: 'Money that has arrived and waits to be collected.' },
  collections: { name: 'Collections', description: 'Bringing what has arrived to the treasury.' },
  'recovery-file': { name: 'Recovery file', description: 'What finds the money again without this service.' },
  members: { name: 'Members', description: 'Who may act for a merchant.' },
  invites: { name: 'Invites', description: 'Links that make somebody a member.' },
  'audit-log': { name: 'Audit log', description: 'Who did what, from where and when.' },
}
