import { checksummed } from '../../chain/checksum.ts'
import type { PaymentTransfer } from '../../records/payment.ts'
import { checkoutTextsOf } from '../../web/text/checkout/texts.ts'
import { formatsOf } from '../../web/text/format.ts'
import type { WholeText } from '../answer.ts'
import { type Html, html } from '../html.ts'
import { icons, shapes } from '../icons.ts'
import { definePage } from '../layout.ts'
import { moneyOf } from '../money.ts'
import type { Web } from '../web.ts'
import { arrivedAmount, type CryptoAmount, type Denomination, exactAmount } from './amounts.ts'
import { brandStyle } from './brand.ts'
import type { CheckoutFacts, PaymentFacts, PayNetwork } from './facts.ts'
import { fill, fillText } from './fill.ts'
import { utc } from './moments.ts'
import {
  type CheckoutScene,
  foot,
  logo,
  price,
  shopName,
  testBanner,
  titleOf,
  titleOfOrder,
  transactionLink,
} from './parts.ts'

const page = definePage({ style: 'receipt/receipt.css', inlined: true, script: 'receipt/main.ts', secret: 'address' })

export type ReceiptRequest = {
  readonly path: string
  /** With the token, which the link to the other language needs too. */
  readonly query: string
  /** A node that the reader can ask. */
  readonly rpcUrl: string | undefined
}

type Shown = {
  readonly scene: CheckoutScene
  readonly payment: PaymentFacts
  readonly network: PayNetwork
  readonly denomination: Denomination
  readonly rpcUrl: string | undefined
}

/** The receipt of a payment that has succeeded; undefined for any other. Without the e-mail address of the customer. */
export const receiptPage = (web: Web, facts: CheckoutFacts, request: ReceiptRequest): WholeText | undefined => {
  const { payment, link, locale, shop } = facts
  const { network, payment: actor } = payment ?? {}
  if (!payment || !network || !link || actor?.state !== 'success') return undefined
  const { asset, decimals, tokenAddress } = actor.context
  if (asset === null || decimals === null) return undefined
  const texts = checkoutTextsOf(locale)
  const scene: CheckoutScene = { facts, texts, path: request.path, query: request.query }
  const denomination = { asset, decimals, isNative: tokenAddress === null }
  const shown: Shown = { scene, payment, network, denomination, rpcUrl: request.rpcUrl }
  const isTest = !link.context.livemode
  const body = html`<a class="skip" href="#main">${texts.receipt.skip}</a>
${isTest && testBanner(scene)}
<main class="receipt" id="main">
<header class="receipt__top">
<div class="shop">${logo(shop)}<span class="shop__name">${shopName(shop)}</span></div>
<button class="button no-print needs-script" type="button" data-print>${icons.print}${texts.receipt.print}</button>
</header>
<section class="receipt__sum">
<h1 tabindex="-1">${isTest ? texts.receipt.headingTest : texts.receipt.heading} <span class="badge" data-tone="good">${shapes.good}${texts.receipt.badge}</span></h1>
${price(scene, texts.test.noValue)}
<p class="quiet" dir="auto">${titleOfOrder(scene)}</p>
</section>
<section>${summary(shown)}</section>
${transfers(shown)}
${proof(shown)}
</main>
${foot(scene)}`
  return page(web, {
    title: titleOf(scene, texts.receipt.title),
    lang: locale,
    body,
    bodyClass: 'page',
    ...(shop.accentColor !== null && { ownStyle: brandStyle(shop.accentColor) }),
  })
}

const summary = ({ scene, payment, network, denomination }: Shown): Html => {
  const { texts, facts } = scene
  const { amountReceived, address, pegged, quoteRate, quoteSource, currency, amountRefundedMinor } =
    payment.payment.context
  const { asset } = denomination
  const minorUnit =
    10 ** (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2)
  const rate = pegged
    ? fillText(texts.receipt.fixed, { asset, price: moneyOf(minorUnit, currency, facts.locale) })
    : quoteRate === null
      ? null
      : fillText(texts.receipt.quoted, { asset, rate: formatsOf(facts.locale).decimal(quoteRate), currency })
  const rows: (readonly [label: string, value: Html | string, kind: '' | 'sum' | 'num' | 'long'] | false | null)[] = [
    [texts.receipt.paid, written(scene, arrivedAmount(amountReceived, denomination), denomination), 'sum'],
    rate !== null && [texts.receipt.rate, rate, 'num'],
    quoteSource !== null && [texts.receipt.source, quoteSource, ''],
    [texts.receipt.network, fillText(texts.receipt.chain, { network: network.network, id: network.chainId }), ''],
    payment.completedAt && [texts.receipt.completed, utc(payment.completedAt, facts.locale, 'full'), 'num'],
    address !== null && [texts.receipt.paidTo, html`<code dir="ltr">${checksummed(address)}</code>`, 'long'],
    amountRefundedMinor > 0 && [texts.paid.sentBack, moneyOf(amountRefundedMinor, currency, facts.locale), 'num'],
    [texts.receipt.paymentNumber, html`<code>${payment.id}</code>`, 'long'],
  ]
  return html`<dl class="facts facts--last">${rows.flatMap(row =>
    row
      ? [
          html`<div${(row[2] === 'sum' || row[2] === 'long') && html` class="${row[2]}"`}><dt>${row[0]}</dt><dd${(row[2] === 'sum' || row[2] === 'num') && html` class="num"`}>${row[1]}</dd></div>`,
        ]
      : [],
  )}</dl>`
}

/**
 * As the language writes it: nothing on a receipt is copied into a wallet. A line that is too narrow ends before the unit, and
 * not within it.
 */
const written = ({ facts }: CheckoutScene, { units }: CryptoAmount, denomination: Denomination): string =>
  formatsOf(facts.locale).units(units, denomination).replace('\u00a0', ' ')

const countedIn = ({ transfers }: PaymentFacts): readonly PaymentTransfer[] =>
  transfers.filter(({ state }) => state !== 'orphaned')

const transfers = ({ scene, payment, network, denomination }: Shown): Html => {
  const { texts, facts } = scene
  const counted = countedIn(payment)
  const total = counted.reduce((sum, { amount }) => sum + amount, 0n)
  const totalText = written(scene, arrivedAmount(total, denomination), denomination)
  return html`<section class="block">
<h2>${texts.receipt.transfers}</h2>
<table class="lines${totalText.length > 16 && ' lines--long'}">
<thead><tr><th scope="col">${texts.receipt.time}</th><th scope="col">${texts.receipt.transaction}</th><th scope="col">${texts.receipt.amount}</th></tr></thead>
<tbody>${counted.map(
    ({ minedAt, txHash, amount }) =>
      html`<tr><td><time datetime="${minedAt.toISOString()}">${utc(minedAt, facts.locale, 'full').replace(/\u00a0UTC$/, '')}</time></td><td>${txHash === null ? texts.receipt.withoutHash : transactionLink(txHash, network.explorerUrl)}</td><td>${written(scene, arrivedAmount(amount, denomination), denomination)}</td></tr>`,
  )}</tbody>
<tfoot><tr><td colspan="2">${texts.receipt.total}</td><td>${totalText}</td></tr></tfoot>
</table>
</section>`
}

/** How anyone can check the payment without this server. */
const proof = (shown: Shown): Html | undefined => {
  const { scene, payment, network, denomination, rpcUrl } = shown
  const { texts, facts } = scene
  const isTest = facts.link?.context.livemode === false
  const counted = countedIn(payment).filter(({ txHash }) => txHash !== null)
  if (counted.length === 0) return undefined
  return html`<section class="block">
<h2>${texts.receipt.check}</h2>
<p class="quiet small">${isTest && network.isSandbox ? texts.receipt.checkHintTest : texts.receipt.checkHint}</p>
<ol class="check">
<li><b>${texts.receipt.ask}</b>
<p>${isTest && network.isSandbox ? texts.receipt.askHintTest : fill(texts.receipt.askHint, { network: network.network })}</p>
<div class="check__all">${counted.map(
    (
      { txHash },
      at,
    ) => html`<pre class="code" tabindex="0" role="region" aria-label="${texts.receipt.command}${counted.length > 1 && ` ${at + 1}`}">cast ${denomination.isNative ? 'tx' : 'receipt'} <span class="hex hex--64">${txHash}</span> \\
  --rpc-url ${rpcUrl ?? 'https://…'}</pre>`,
  )}</div></li>
<li><b>${texts.receipt.compare}</b>
<div class="check__all">${counted.map(transfer => compared(shown, transfer))}</div></li>
${network.explorerUrl !== null && explorer(scene, network.explorerUrl, counted[0]?.txHash ?? '')}
</ol>
</section>`
}

const compared = ({ scene, payment, network, denomination }: Shown, transfer: PaymentTransfer): Html => {
  const { texts, facts } = scene
  const { tokenAddress, address } = payment.payment.context
  const token =
    tokenAddress === null
      ? fillText(texts.receipt.native, { asset: denomination.asset, network: network.network })
      : html`<code class="hex" dir="ltr">${checksummed(tokenAddress)}</code>`
  const number = new Intl.NumberFormat(facts.locale).format(transfer.blockNumber)
  return html`<dl class="facts">
<div class="long"><dt>${texts.receipt.token}</dt><dd>${token}</dd></div>
<div class="long"><dt>${texts.receipt.to}</dt><dd><code class="hex" dir="ltr">${address && checksummed(address)}</code></dd></div>
<div><dt>${texts.receipt.value}</dt><dd class="num">${fill(texts.receipt.valueIs, { units: html`<code>${String(transfer.amount)}</code>`, amount: written(scene, exactAmount(transfer.amount, denomination), denomination) })}</dd></div>
<div class="long"><dt>${texts.receipt.block}</dt><dd><code>${number}</code> <br><code class="hex hex--64" dir="ltr">${transfer.blockHash}</code></dd></div>
</dl>`
}

const explorer = ({ texts }: CheckoutScene, explorerUrl: string, txHash: string): Html => {
  const link = html`<a href="${explorerUrl}/tx/${txHash}" rel="noreferrer">${new URL(explorerUrl).host}</a>`
  return html`<li><b>${texts.receipt.explorer}</b>
<p>${fill(texts.receipt.explorerHint, { explorer: link })}</p></li>`
}
