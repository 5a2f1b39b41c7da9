import type { CheckoutTexts } from '../../web/text/checkout/en.ts'
import { type Html, html } from '../html.ts'
import { brandMark, icons, type ShapeName, seals, shapes } from '../icons.ts'
import { moneyOf } from '../money.ts'
import type { CheckoutFacts, ShopFace } from './facts.ts'
import { fill, fillText } from './fill.ts'

/** What every part of a page is rendered with. */
export type CheckoutScene = {
  readonly facts: CheckoutFacts
  readonly texts: CheckoutTexts
  /** The path of the page. */
  readonly path: string
  /** The page answers a form that was refused. */
  readonly isRefused?: boolean
  /** The query of links and forms that lead to pages of this checkout: the language, if it was chosen. */
  readonly query: string
}

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

export type StripStep = {
  readonly at: 'details' | 'send' | 'confirm' | 'paid'
  readonly word?: string
  readonly tone?: Tone
  readonly shape?: ShapeName
}

const steps = ['details', 'send', 'confirm', 'paid'] as const

/** The main path of a payment. An exception replaces the shape, colour and word of the current step. */
export const strip = ({ texts }: CheckoutScene, { at, word, tone, shape = 'now' }: StripStep): Html => {
  const current = steps.indexOf(at)
  return html`<ol class="strip" aria-label="${texts.frame.progress}">${steps.map((step, index) => {
    if (index < current)
      return html`<li data-at="past">${shapes.past}<span>${texts.strip[step]}<span class="sr"> – ${texts.frame.done}</span></span></li>`
    if (index > current) return html`<li data-at="next">${shapes.next}<span>${texts.strip[step]}</span></li>`
    return html`<li data-at="now" aria-current="step"${tone && html` data-tone="${tone}"`}>${shapes[shape]}<span>${word ?? texts.strip[step]}</span></li>`
  })}</ol>`
}

export type Note = {
  readonly tone: Tone
  readonly icon?: Html
  readonly title: string | Html
  readonly text: string | Html
  /** Read aloud when it appears. */
  readonly isStatus?: boolean
  /** Further attributes, such as those with which it takes the focus. */
  readonly more?: Html
}

export const note = ({ tone, icon = icons.info, title, text, isStatus = false, more }: Note): Html =>
  html`<div class="note"${isStatus && html` role="status"`}${more} data-tone="${tone}">${icon}<b>${title}</b><p>${text}</p></div>`

export type Ending = {
  readonly tone: Tone
  readonly seal: keyof typeof seals
  readonly heading: string | Html
  readonly lead: string | Html
}

export const endingHead = ({ tone, seal, heading, lead }: Ending): Html =>
  html`<div class="step__head"><span class="seal" data-tone="${tone}">${seals[seal]}</span><h1 tabindex="-1">${heading}</h1><p class="lead">${lead}</p></div>`

export type Fact = readonly [label: string, value: Html | string, kind?: 'sum' | 'num']

export const factList = (facts: readonly (Fact | null | false)[], more = ''): Html => {
  const rows = facts.filter(fact => fact !== null && fact !== false)
  return html`<dl class="facts facts--last${more}">${rows.map(
    ([label, value, kind]) =>
      html`<div${kind === 'sum' && html` class="sum"`}><dt>${label}</dt><dd${kind && html` class="num"`}>${value}</dd></div>`,
  )}</dl>`
}

/** `0x045e…7409`, as a link to the explorer of the chain if there is one. */
export const transactionLink = (txHash: string, explorerUrl: string | null): Html => {
  const short = html`<span class="short" title="${txHash}">${shortened(txHash, 6, 4)}</span>`
  return explorerUrl === null
    ? short
    : html`<a class="short" href="${explorerUrl}/tx/${txHash}" rel="noreferrer" title="${txHash}">${shortened(txHash, 6, 4)}</a>`
}

export const shortened = (text: string, start: number, end: number): string =>
  text.length <= start + end + 1 ? text : `${text.slice(0, start)}…${text.slice(-end)}`

export const shortId = (id: string): Html => html`<span class="short" title="${id}">${shortened(id, 10, 4)}</span>`

/** The whole number, to copy. */
export const paymentNumber = ({ texts, facts }: CheckoutScene): Html => html`<div class="block">
<p class="small quiet" id="pid">${texts.frame.paymentNumber}</p>
<div class="copy copy--line"><code class="copy__value" aria-labelledby="pid">${facts.payment?.id}</code><button class="button needs-script" type="button" data-copy="${facts.payment?.id}">${icons.copy}<span><span class="copy__word">${texts.frame.copy}</span><span class="sr"> ${texts.frame.copyPaymentNumber}</span></span></button></div>
</div>`

/** Where customers reach the merchant; undefined if no contact is set. */
export const contactUrl = ({ supportEmail, supportUrl }: ShopFace): string | undefined =>
  supportEmail !== null ? `mailto:${supportEmail}` : (supportUrl ?? undefined)

export const shopName = ({ name }: Pick<ShopFace, 'name'>): Html => html`<bdi>${name}</bdi>`

/** `Write to Lamps`, as a link; undefined if no contact is set. */
export const contactLink = ({ facts: { shop }, texts }: CheckoutScene): Html | undefined => {
  const url = contactUrl(shop)
  return url === undefined
    ? undefined
    : html`<a href="${url}" rel="noreferrer"><span>${fill(texts.frame.contact, { shop: shopName(shop) })}</span></a>`
}

export const contactButton = ({ facts: { shop } }: CheckoutScene, sentence: string): Html | undefined => {
  const url = contactUrl(shop)
  return url === undefined
    ? undefined
    : html`<a class="button button--large" href="${url}" rel="noreferrer"><span>${fill(sentence, { shop: shopName(shop) })}</span></a>`
}

export const actions = (links: readonly (Html | false | '' | null | undefined)[]): Html | undefined => {
  const shown = links.filter(link => link)
  return shown.length === 0 ? undefined : html`<div class="actions">${shown}</div>`
}

/** The order. Slim on phones as soon as there is something to do. */
export const order = (scene: CheckoutScene, isSlim: boolean): Html | undefined => {
  const { facts, texts } = scene
  const { link, shop, payment } = facts
  if (!link) return undefined
  const { description } = link.context
  const facts_ = payment && [
    [texts.frame.email, payment.payment.context.customerEmail] as const,
    [texts.frame.paymentNumber, shortId(payment.id)] as const,
  ]
  return html`<section class="order${isSlim && ' order--slim'}" aria-label="${facts.invoice ? texts.invoice.order : texts.frame.order}">
<div class="shop">${logo(shop)}<span class="shop__name">${shopName(shop)}</span></div>
<div class="order__what">
<p class="order__item" dir="auto">${titleOfOrder(scene)}</p>
${price(scene)}
${description !== null && html`<p class="order__text" dir="auto">${description}</p>`}
${facts_ && factList(facts_, ' order__facts')}
</div>
</section>`
}

export const price = (scene: CheckoutScene, tag?: string): Html | undefined => {
  const { link } = scene.facts
  return link && priceOf(scene, link.context, tag)
}

type Price = { readonly amountMinor: number; readonly currency: string; readonly livemode: boolean }

export const priceOf = (
  { facts, texts }: CheckoutScene,
  { amountMinor, currency, livemode }: Price,
  tag = texts.test.tag,
): Html => {
  const money = moneyOf(amountMinor, currency, facts.locale)
  return html`<p class="price${money.length > 14 && ' price--long'}">${money}<small>${currency}</small>${!livemode && html` <span class="tag-test">${tag}</span>`}</p>`
}

/** What is paid. */
export const titleOfOrder = ({ facts: { link, invoice, shop }, texts }: CheckoutScene): Html | string => {
  if (invoice) return invoiceName(texts, html`<bdi>${invoice.number}</bdi>`, invoice.number)
  return link?.context.title ?? fill(texts.frame.untitled, { shop: shopName(shop) })
}

/** A draft that can be paid has no number yet: it is the first invoice of a subscription. */
export const invoiceName = ({ invoice }: CheckoutTexts, shown: Html, number: string | null): Html | string =>
  number === null || number === '' ? invoice.first : fill(invoice.name, { number: shown })

/** The way back from a payment to the page of its invoice. */
export const invoiceLink = ({ facts: { invoice }, texts, query }: CheckoutScene, more = html``): Html | undefined =>
  invoice?.path === undefined
    ? undefined
    : html`<a${more} href="${invoice.path}${query}" data-testid="back-to-invoice"><span>${invoice.number === '' ? texts.invoice.backToFirst : fill(texts.invoice.back, { number: html`<bdi>${invoice.number}</bdi>` })}</span></a>`

/** The logo, or the first letter of the name. */
export const logo = ({ name, logoUrl }: Pick<ShopFace, 'name' | 'logoUrl'>): Html =>
  logoUrl === null
    ? html`<span class="shop__logo shop__letter" aria-hidden="true">${initialOf(name)}</span>`
    : html`<img class="shop__logo" src="${logoUrl}" alt="" width="40" height="40">`

const initialOf = (name: string): string => {
  const [first = ''] = new Intl.Segmenter().segment(name)[Symbol.iterator]().next().value?.segment ?? ''
  return /\p{L}|\p{N}/u.test(first) ? first.toUpperCase() : '·'
}

export const testBanner = ({ texts }: Pick<CheckoutScene, 'texts'>): Html =>
  html`<aside class="test" aria-label="${texts.test.label}" data-testid="test-mode"><p><b>${texts.test.badge}</b> <span>${texts.test.sentence}</span></p></aside>`

export const foot = (scene: CheckoutScene): Html => {
  const { facts, texts, path, query } = scene
  const other = facts.locale === 'en' ? { code: 'de', name: 'Deutsch' } : { code: 'en', name: 'English' }
  const contact = contactLink(scene)
  return html`<footer class="foot">
<span class="foot__by">${brandMark}${texts.frame.runsOn}</span>
<ul>${contact && html`<li>${contact}</li>`}<li><a href="${path}${tokenOf(query)}lang=${other.code}" hreflang="${other.code}" lang="${other.code}" data-testid="language">${other.name}</a></li></ul>
</footer>`
}

/** The query up to the language: of a receipt it has a token. */
const tokenOf = (query: string): string => {
  const kept = query.replace(/[?&]lang=\w*$/, '')
  return kept === '' ? '?' : `${kept}&`
}

/** Reloads the page for browsers without JavaScript. */
export const refreshAfter = (seconds: number, url: string): Html =>
  html`<noscript><meta http-equiv="refresh" content="${seconds}; url=${url}"></noscript>\n`

export const titleOf = (
  { facts, texts, isRefused = false }: CheckoutScene,
  sentence: string,
  values: Readonly<Record<string, string>> = {},
) => {
  const plain = fillText(sentence, { shop: facts.shop.name, ...values })
  const title = isRefused ? fillText(texts.open.errorTitle, { title: plain }) : plain
  return facts.link && !facts.link.context.livemode ? fillText(texts.test.title, { title }) : title
}
