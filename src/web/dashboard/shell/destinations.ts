import type { IconName } from '../../parts/icon.tsx'
import { useShop } from './shop.ts'
import { useTexts } from './texts.ts'

export type Destination = { readonly section: string; readonly icon: IconName; readonly name: string }

/** Sections that the navigation shows as a part of another one. */
const partOf: Readonly<Record<string, string>> = { 'credit-notes': 'invoices' }

/** The destination that a page belongs to. */
export const destinationOf = (path: string): string => {
  const section = path.split('/')[4] ?? 'home'
  return partOf[section] ?? section
}

/** The pages of a shop in the navigation. */
export const useDestinations = () => {
  const { nav } = useTexts()
  const { merchant } = useShop()
  return {
    shop: [
      { section: 'home', icon: 'home', name: nav.home },
      { section: 'payments', icon: 'payments', name: nav.payments },
      { section: 'links', icon: 'link', name: nav.links },
      { section: 'refunds', icon: 'refund', name: nav.refunds },
      { section: 'disputes', icon: 'dispute', name: nav.disputes },
      { section: 'analytics', icon: 'chart', name: nav.analytics },
      { section: 'balances', icon: 'wallet', name: nav.balances },
    ] satisfies readonly Destination[],
    billing: [
      { section: 'customers', icon: 'customer', name: nav.customers },
      { section: 'invoices', icon: 'invoice', name: nav.invoices },
      { section: 'plans', icon: 'plan', name: nav.plans },
      { section: 'subscriptions', icon: 'repeat', name: nav.subscriptions },
    ] satisfies readonly Destination[],
    developers: [
      { section: 'keys', icon: 'key', name: nav.keys },
      { section: 'webhooks', icon: 'hook', name: nav.webhooks },
      { section: 'events', icon: 'list', name: nav.events },
    ] satisfies readonly Destination[],
    management: [
      { section: 'settings', icon: 'settings', name: nav.settings },
      { section: 'members', icon: 'team', name: nav.members },
      // Only owners may read it.
      ...(merchant.role === 'owner' ? [{ section: 'audit-log', icon: 'list', name: nav.auditLog } as const] : []),
    ] satisfies readonly Destination[],
  }
}
