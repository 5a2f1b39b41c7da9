import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Account } from '../../api/calls.ts'
import type { Session } from '../../api/session.ts'

export type Merchant = Account['merchants'][number]

/** The shop and the mode in the address of the page, and who looks at it. */
export type CurrentShop = {
  readonly session: Session
  readonly account: Account
  readonly merchant: Merchant
  readonly livemode: boolean
}

export const ShopContext = createContext<CurrentShop | undefined>(undefined)

export const useShop = (): CurrentShop => {
  const shop = useContext(ShopContext)
  if (!shop) throw new Error('This page is not in a shop')
  return shop
}

/** What every call about records of this shop needs. */
export const useScope = () => {
  const { merchant, livemode } = useShop()
  return { merchantId: merchant.id, livemode }
}

/** Viewers only read. */
export const useCanWrite = (): boolean => useShop().merchant.role !== 'viewer'

export const useIsOwner = (): boolean => useShop().merchant.role === 'owner'

type Place = { readonly merchantId: string; readonly livemode: boolean }

/** The address of a page: `/dashboard/mer_…/test/payments`. */
export const addressIn = ({ merchantId, livemode }: Place, ...path: readonly string[]): string =>
  ['/dashboard', merchantId, livemode ? 'live' : 'test', ...path].join('/')

/** The addresses of pages of this shop in this mode. */
export const useAddress = () => {
  const scope = useScope()
  return (...path: readonly string[]): string => addressIn(scope, ...path)
}
