import type { Invoice } from '../../machines/invoice-events.ts'
import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Chain } from '../chain/chain.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { listOffers, payableAssets } from '../commands/checkout-offers.ts'
import { takesPayments, windowEnd } from '../commands/checkouts.ts'
import { payableMinor } from '../commands/invoice-payments.ts'
import { encodeId } from '../ids.ts'
import type {
  ChainTroubles,
  CheckoutFacts,
  PaidInvoice,
  PaymentFacts,
  PayNetwork,
  PayOption,
  ShopFace,
  StrayMoney,
} from '../pages/checkout/facts.ts'
import { type ChainReading, findPageNotes, listChainReadings } from '../queries/checkout-pages.ts'
import type { VisitedLink, WatchedPayment } from '../queries/checkouts.ts'
import type { ShownPayment } from '../queries/payments.ts'
import { findReceived } from '../queries/strays.ts'
import { cryptoFactsOf } from '../records/crypto-facts.ts'
import { logoUrlOf } from '../records/logo-url.ts'
import type { Locale } from '../web/text/locale.ts'
import type { Api } from './api.ts'
import { customersPayment, seenOf } from './checkout-stream.ts'

/** What a page shows, and what wallets need besides. */
export type GatheredFacts = { readonly facts: CheckoutFacts; readonly readings: readonly ChainReading[] }

export const gatherFacts = async (
  api: Api,
  visited: VisitedLink,
  shown: ShownPayment | null,
  { locale, invoice }: { readonly locale: Locale; readonly invoice?: PaidInvoice | undefined },
): Promise<GatheredFacts> => {
  const now = api.clock.now()
  const readings = await listChainReadings(api.sql)
  const troubles = troublesOf(api, readings, now)
  const isPayable = takesPayments(visited, now) && invoice?.payableMinor !== 0
  const [options, payment] = await Promise.all([
    needsOptions(shown, isPayable) ? listOptions(api, visited, shown, troubles) : [],
    shown && paymentFacts(api, { ...shown, invoiceRev: invoice?.rev ?? 0 }),
  ])
  const shop = shopFaceOf(api, visited.terms)
  const facts = { link: visited.link, shop, isOpen: isPayable, options, troubles, payment, invoice, now, locale }
  return { facts, readings }
}

/** The merchant as its customers see it. */
export const shopFaceOf = (
  { settings }: Api,
  { name, logo, accent_color, support_email, support_url }: VisitedLink['terms'],
): ShopFace => ({
  ...{ name, logoUrl: withoutOrigin(logoUrlOf(settings.publicUrl, logo)), accentColor: accent_color },
  ...{ supportEmail: support_email, supportUrl: support_url },
})

/** The invoice of a payment, for the page of the payment. */
export const paidInvoiceOf = (invoice: Actor<Invoice>, path: string): PaidInvoice => ({
  number: invoice.context.number ?? '',
  path,
  isVoid: invoice.state === 'void',
  rev: invoice.rev,
  payableMinor: payableMinor(invoice),
  isCredited: invoice.context.creditNotesMinor > 0,
})

/** An asset can be chosen on the page of an open link, and for a payment that has received nothing. */
const needsOptions = (shown: ShownPayment | null, isPayable: boolean): boolean =>
  shown ? shown.payment.state === 'pending' && shown.payment.context.amountReceived === 0n : isPayable

/**
 * Networks on which a payment would not be seen now: the chain is stopped, the sandbox does not answer, or no block has been
 * read for long. The last is known to every process, whichever of them reads the chain.
 */
const troublesOf = ({ chains, sandbox }: Api, readings: readonly ChainReading[], now: Date): ChainTroubles => {
  const troubles = new Map<number, { readonly since: Date | null }>()
  for (const { chain } of chains.all) {
    const reading = readings.find(({ chainId }) => chainId === chain.id)
    if (reading?.stoppedAt) troubles.set(chain.id, { since: reading.stoppedAt })
    else if (chain.id === sandboxId && sandbox?.problem()) troubles.set(chain.id, { since: null })
    else if (reading && isStale(chain, reading, now)) troubles.set(chain.id, { since: reading.minedAt })
  }
  return troubles
}

const isStale = ({ minesOnDemand, blockMs }: Chain, { minedAt }: ChainReading, now: Date): boolean =>
  !minesOnDemand && now.getTime() - minedAt.getTime() > Math.max(STALE_MS, 30 * blockMs)

/** Longer than a reader needs to go on after a restart. */
const STALE_MS = 5 * 60_000

const listOptions = async (
  api: Api,
  visited: VisitedLink,
  shown: ShownPayment | null,
  troubles: ChainTroubles,
): Promise<readonly PayOption[]> => {
  const { chains, clock } = api
  const { currency } = visited.link.context
  const until = shown ? shown.payment.context.expiresAt : windowEnd(visited, clock.now())
  // The nodes of a network in trouble are not asked for prices: the page would wait for them.
  const asked = { ...visited, stoppedChains: [...visited.stoppedChains, ...troubles.keys()] }
  const offers = await listOffers(chains, asked, until)
  const offered = offers.map(offer => ({
    ...{ chainId: offer.chainId, asset: offer.asset, network: offer.network, decimals: offer.decimals },
    ...{ isNative: offer.tokenAddress === null, isPar: offer.pegged, amount: offer.amount },
    networkFeeMinor: offer.networkFeeMinor,
  }))
  const isOffered = (chainId: number, asset: string) =>
    offered.some(offer => offer.chainId === chainId && offer.asset === asset)
  const others = payableAssets(chains, visited).flatMap(({ chainId, asset }): PayOption[] => {
    const chain = chains.find(chainId)?.chain
    if (!chain || isOffered(chainId, asset)) return []
    const token = chain.tokens.find(each => each.asset === asset)
    return [
      {
        ...{ chainId, asset, network: chain.network, decimals: token?.decimals ?? chain.native.decimals },
        ...{ isNative: token === undefined, isPar: token?.peg === currency, amount: null, networkFeeMinor: null },
      },
    ]
  })
  return [...offered, ...others]
}

const paymentFacts = async (api: Api, watched: WatchedPayment): Promise<PaymentFacts> => {
  const { payment, shown } = watched
  const { sql, chains } = api
  const { context } = payment
  const crypto = cryptoFactsOf(context, shown, chains)
  const record = customersPayment(api, { payment, shown })
  const hasStrays = context.stray !== null || context.finalStrays > 0
  const [notes, strays] = await Promise.all([findPageNotes(sql, payment.id), hasStrays ? findStrays(api, payment) : []])
  return {
    id: encodeId('pay', payment.id),
    payment,
    network: context.chainId === null ? null : networkOf(api, context.chainId),
    transfers: crypto?.transfers ?? [],
    confirmations: record.crypto?.confirmations ?? 0,
    txHash: crypto?.txHash ?? null,
    strays,
    submitted: notes.submitted,
    completedAt: notes.completedAt,
    receiptUrl: payment.state === 'success' ? withoutOrigin(record.receiptUrl) : null,
    eventId: seenOf(api, watched).say().id,
  }
}

/** Visitors may use another host name than PUBLIC_URL. */
export const withoutOrigin = (url: string | null): string | null => {
  if (url === null) return null
  const { pathname, search } = new URL(url)
  return pathname + search
}

const networkOf = ({ chains }: Api, chainId: number): PayNetwork => {
  const chain = chains.find(chainId)?.chain
  return {
    chainId,
    network: chain?.network ?? `Chain ${chainId}`,
    native: chain?.native.asset ?? '',
    blockMs: chain?.blockMs ?? 12_000,
    explorerUrl: chain?.explorerUrl ?? null,
    isSandbox: chainId === sandboxId,
  }
}

const findStrays = async ({ sql, chains }: Api, payment: Actor<Payment>): Promise<readonly StrayMoney[]> => {
  const { chainId, tokenAddress } = payment.context
  const received = await findReceived(sql, payment)
  const others = received.filter(each => each.chainId !== chainId || each.tokenAddress !== tokenAddress)
  return others.map((each): StrayMoney => {
    const chain = chains.find(each.chainId)?.chain
    const isNative = each.tokenAddress === null
    const asset = isNative ? chain?.native : chain?.tokens.find(({ address }) => address === each.tokenAddress)
    return {
      ...{ amount: each.amountReceived, asset: asset?.asset ?? null, decimals: asset?.decimals ?? 0, isNative },
      ...{ network: chain?.network ?? null, isOtherChain: each.chainId !== chainId },
      ...{ txHash: each.txHash, explorerUrl: chain?.explorerUrl ?? null },
    }
  })
}
