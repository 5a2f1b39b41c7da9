import type { PageToken } from '../../machines/invoice-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Keyring } from '../keyring.ts'
import { findInvoice } from '../queries/invoices.ts'
import type { Finder } from '../queries/record-finder.ts'
import { findSubscription } from '../queries/subscriptions.ts'
import { INVOICE_PURPOSE, SUBSCRIPTION_PURPOSE } from '../sealed-columns.ts'

export type WithPage = Actor<{ readonly [Field in keyof PageToken]: PageToken[Field] | null }>

/** Records with a page for customers whose address contains a secret. */
export type SecretPages = {
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

/** What the address of a page is made with. */
export type PagesView = { readonly keyring: Keyring; readonly settings: { readonly publicUrl: string } }

/** Null for a draft, which has no page. */
export const pageUrl = (
  { keyring, settings }: PagesView,
  { path, purpose }: SecretPages,
  { id, context }: Pick<WithPage, 'id' | 'context'>,
): string | null =>
  context.sealedToken === null
    ? null
    : `${settings.publicUrl}/${path}/${keyring.open(purpose, id, context.sealedToken)}`
