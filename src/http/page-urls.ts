import type { PageToken } from '../../machines/invoice-events.ts'
import type { KeyCaller } from '../access/key-cache.ts'
import type { Actor } from '../actors/kind.ts'
import { decodeId } from '../ids.ts'
import { findInvoice } from '../queries/invoices.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import type { Finder } from '../queries/record-finder.ts'
import { findSubscription } from '../queries/subscriptions.ts'
import { isGranted } from '../resources.ts'
import { INVOICE_PURPOSE, SUBSCRIPTION_PURPOSE } from '../sealed-columns.ts'
import type { Api } from './api.ts'
import type { MemberCaller } from './route.ts'

/** One of the two. */
export type UrlReader = { readonly key?: KeyCaller; readonly member?: MemberCaller }

type WithPage = Actor<{ readonly [Field in keyof PageToken]: PageToken[Field] | null }>

/** Records with a page for customers whose address contains a secret. */
type SecretPages = {
  readonly path: string
  readonly purpose: string
  readonly prefix: 'inv' | 'sub'
  readonly find: Finder<WithPage>
}

export const invoicePages: SecretPages = {
  ...{ path: 'invoices', purpose: INVOICE_PURPOSE, prefix: 'inv', find: findInvoice },
}

export const subscriptionPages: SecretPages = {
  ...{ path: 'subscriptions', purpose: SUBSCRIPTION_PURPOSE, prefix: 'sub', find: findSubscription },
}

/** Callers that can change a record can also see the address of its page. */
const maySeeUrl = ({ key, member }: UrlReader): boolean =>
  key ? isGranted(key.scopes, 'billing:write') : member !== undefined && member.role !== 'viewer'

/** Null for a draft, which has no page. */
export const pageUrl = (
  { keyring, settings }: Pick<Api, 'keyring' | 'settings'>,
  { path, purpose }: SecretPages,
  { id, context }: Pick<WithPage, 'id' | 'context'>,
): string | null =>
  context.sealedToken === null
    ? null
    : `${settings.publicUrl}/${path}/${keyring.open(purpose, id, context.sealedToken)}`

/** The address of the page as the caller can see it. */
export const pageUrlFor = (api: Api, pages: SecretPages, reader: UrlReader) => {
  const isShown = maySeeUrl(reader)
  return (record: WithPage): string | null => (isShown ? pageUrl(api, pages, record) : null)
}

/** A response that was stored without the address of the page, with the present one. */
export const withPageUrl = async (
  api: Api,
  pages: SecretPages,
  { merchantId, livemode }: Omit<ListOwner, 'livemode'> & { readonly livemode: boolean | undefined },
  body: string,
): Promise<string> => {
  const record = JSON.parse(body) as { readonly id: string }
  const found = await pages.find(api.sql, { id: decodeId(pages.prefix, record.id) ?? '', merchantId, livemode })
  return found ? JSON.stringify({ ...record, url: pageUrl(api, pages, found) }) : body
}
