import type { AssetChoice } from '../commands/checkout-offers.ts'
import { Refusal } from '../errors.ts'
import type { RefusedForm } from '../pages/checkout/open.ts'
import type { ShownPayment } from '../queries/payments.ts'
import { checkoutTextsOf } from '../web/text/checkout/texts.ts'
import type { Api } from './api.ts'
import { writePayCookie } from './pay-cookie.ts'
import type { PayVisit } from './pay-visit.ts'

type AssetFields = { readonly chainId?: string; readonly asset?: string }

/** Radio buttons have one value: `31337:TUSD`. */
export const assetTextIn = ({ chainId, asset }: AssetFields): string | undefined =>
  chainId && asset ? `${chainId}:${asset}` : asset

/** Undefined if none was chosen, null if it is none. */
export const assetIn = (fields: AssetFields): AssetChoice | undefined | null => {
  const text = assetTextIn(fields)
  if (!text && !fields.chainId) return undefined
  const [, chainId, asset] = /^([1-9]\d{0,15}):([A-Za-z0-9.]{1,20})$/.exec(text ?? '') ?? []
  return chainId === undefined || asset === undefined ? null : { chainId: Number(chainId), asset }
}

/** A refused asset, as sentences of the page. Faults are thrown. */
export const explainRefusal = (
  { chains }: Api,
  { locale }: Pick<PayVisit, 'locale'>,
  error: unknown,
  asset: AssetChoice | undefined,
): RefusedForm['errors'] => {
  if (!(error instanceof Refusal)) throw error
  const texts = checkoutTextsOf(locale).errors
  const network = (asset && chains.find(asset.chainId)?.chain.network) ?? ''
  if (error.code === 'unsupported_asset') return { asset: texts.unsupportedAsset }
  if (error.code === 'customer_erased') return { email: texts.email }
  if (error.code === 'rate_unavailable') return { asset: texts.noRate.replace('{asset}', asset?.asset ?? '') }
  if (error.code === 'chain_unavailable') return { asset: texts.noChain.replace('{network}', network) }
  if (error.code === 'state_conflict') return { page: texts.noLongerPossible }
  throw error
}

/** What can be wrong with an asset that was chosen before. */
export const ASSET_CODES: readonly string[] = ['unsupported_asset', 'rate_unavailable', 'chain_unavailable']

/** Authenticates the customer on the page of the payment, and on nothing else. */
export const cookieOf = (
  { settings, clock }: Api,
  { path, shown }: Pick<PayVisit, 'path'> & { readonly shown: Pick<ShownPayment, 'payment'> | null },
  clientSecret: string,
): string =>
  writePayCookie({
    ...{ name: 'pay', publicUrl: settings.publicUrl, path, clientSecret, now: clock.now() },
    expiresAt: shown?.payment.context.expiresAt ?? clock.now(),
  })
