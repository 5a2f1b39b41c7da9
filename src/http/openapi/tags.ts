import { resourceRows, resources } from '../../resources.ts'
import type { Route } from '../route.ts'

export type Tag = { readonly name: string; readonly description: string }

/** The sections of the reference, in this order: endpoints for API keys, then the others, then those that members have too. */
export const tagsOf = (routes: readonly Route[]): readonly Tag[] => {
  const used = new Map(routes.map(route => [tagOf(route).name, tagOf(route)]))
  const order = [...sections.values()].map(({ name }) => name)
  const placeOf = ({ name }: Tag) => (order.includes(name) ? order.indexOf(name) : order.length)
  return [...used.values()].sort((a, b) => placeOf(a) - placeOf(b))
}

/** The section of a route: that of the last resource in its path; all checkout routes of payments are in one section, and all for operators. */
export const tagOf = ({ path, access }: Route): Tag => {
  const segments = path.split('/')
  const whole =
    pageSections.find(([prefix]) => path.startsWith(prefix))?.[1] ??
    wholeSections.find(segment => segments.includes(segment))
  const segment = whole ?? segments.findLast(segment => sections.has(segment))
  const tag = sections.get(segment ?? '') ?? service
  if (access.by !== 'member' || !tag.isShared) return { name: tag.name, description: tag.description }
  return {
    name: `${tag.name} (dashboard)`,
    description: `${tag.description} The same endpoints for people who have signed in.`,
  }
}

const wholeSections = ['checkout', 'ops']

const pageSections = [
  ['/v1/checkout/invoices/', resources.invoice_page.path],
  ['/v1/checkout/plans/', resources.subscription_page.path],
  ['/v1/checkout/subscriptions/', resources.subscription_page.path],
] as const

const service: Section = {
  name: 'Service',
  description: 'Health checks, metrics, the API reference, and the page of a payment link.',
}

type Section = Tag & { readonly isShared?: true }

/** By segment of the path, in the order of the table. */
const sections: ReadonlyMap<string, Section> = new Map(
  resourceRows.flatMap(({ path, section }) => (section ? [[path, section] as const] : [])),
)
