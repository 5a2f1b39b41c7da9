import { qrCells } from '../../web/parts/qr-cells.ts'
import { type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import { arrivedAmount } from './amounts.ts'
import { choiceList } from './choices.ts'
import { fill, fillText } from './fill.ts'
import { clockTime } from './moments.ts'
import type { RefusedForm } from './open.ts'
import {
  actions,
  type CheckoutScene,
  endingHead,
  type Fact,
  factList,
  note,
  shopName,
  shortened,
  strip,
  transactionLink,
} from './parts.ts'
import type { AmountDue, CheckoutView, PayView } from './view.ts'

/** Parts of the pay page that depend on the request. */
export type PayOptions = {
  readonly refused: RefusedForm | undefined
  /** The address that opens this payment on another device; undefined as long as the customer has not asked for it. */
  readonly phoneUrl: string | undefined
  /** The RPC node with which a wallet can add the network; undefined if none may be published. */
  readonly rpcUrl: string | undefined
  /** A block that the wallet must know if it is on the network of the payment. */
  readonly anchor: { readonly number: number; readonly hash: string } | undefined
}

export const payStep = (scene: CheckoutScene, view: PayView, options: PayOptions): Html => {
  const { texts } = scene
  const { due, wait } = view
  return html`${strip(scene, stepOf(scene, view))}
<div class="body">
${view.stray && strayNote(scene, view)}
${due === null ? ended(scene, view) : sendBlock(scene, due, view)}
${view.received && meter(scene, view)}
${options.refused?.errors.page !== undefined && html`<div data-testid="error">${note({ tone: 'bad', icon: icons.warning, title: options.refused.errors.page, text: '', isStatus: true })}</div>`}
${wait && waitNote(scene, view, wait)}
${view.trouble && troubleNote(scene, view, view.trouble)}
${due !== null && target(scene, due, view)}
${due !== null && rows(scene, due, view, options)}
${due !== null && html`<noscript><p class="small quiet">${fill(texts.frame.refresh, { seconds: REFRESH_S })} <a href="${scene.path}${scene.query}">${texts.frame.checkNow}</a></p></noscript>`}
${view.stray && strayFacts(scene, view)}
</div>`
}

/** Seconds between reloads without JavaScript. */
export const REFRESH_S = 10

const stepOf = ({ texts }: CheckoutScene, { status }: PayView) => {
  if (status === 'pay') return { at: 'send' } as const
  if (status === 'underpaid') return { at: 'send', word: texts.strip.partArrived, tone: 'warn', shape: 'half' } as const
  const word = status === 'wrong_asset' ? texts.strip.wrongAsset : texts.strip.wrongChain
  return { at: 'send', word, tone: 'warn', shape: 'diamond' } as const
}

/** The heading of the page: what to send, with the time and a button to copy it. */
const sendBlock = ({ texts, facts }: CheckoutScene, { amount, network }: AmountDue, view: PayView): Html =>
  html`<div class="send${amount.text.length > 16 && ' send--long'}">
<h1 tabindex="-1"><span class="send__verb">${view.received ? texts.pay.stillDue : texts.pay.sendExactly}</span> <span class="send__sum" data-testid="amount-due" data-value="${String(amount.units)}">${amount.text}</span> <span class="send__net">${fill(network.isSandbox ? texts.pay.onSandbox : texts.pay.on, { network: network.network })}</span></h1>
<span class="send__time"><span class="left" data-testid="time-left">${icons.clockSmall}<time datetime="${view.ends.toISOString()}" data-left>${timeLeft(texts.left, view.ends.getTime() - facts.now.getTime())}</time></span></span>
<button class="button send__copy needs-script" type="button" data-testid="copy-amount" data-copy="${amount.number}">${icons.copy}<span>${texts.frame.copy}<span class="sr"> ${fill(texts.pay.copyAmount, { due: amount.text })}</span></span></button>
</div>`

/** In minutes, rounded up, and in the last two minutes in seconds. The script of the page counts on: src/web/pay/times.ts. */
export const timeLeft = (texts: CheckoutScene['texts']['left'], ms: number): string => {
  const seconds = Math.floor(ms / 1_000)
  const minutes = Math.ceil(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (seconds <= 0) return texts.none
  if (seconds < 120) return fillText(texts.seconds, { seconds })
  if (hours < 1) return fillText(texts.minutes, { minutes })
  if (hours < 24) return fillText(texts.hours, { hours, minutes: minutes % 60 })
  return fillText(texts.days, { days: Math.floor(hours / 24), hours: hours % 24 })
}

const meter = ({ texts }: CheckoutScene, { received, expected }: PayView): Html => {
  const share = received && expected.units > 0n ? Number((received.units * 1_000n) / expected.units) : 0
  return html`<div class="meter">
<svg class="meter__part" viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${share}" height="1"/></svg>
<p class="meter__text"><b>${fill(texts.underpaid.arrived, { amount: received?.text ?? '' })}</b><span class="quiet">${fill(texts.underpaid.of, { expected: expected.text })}</span></p>
</div>`
}

const waitNote = ({ texts }: CheckoutScene, { due }: PayView, { because, txHash }: NonNullable<PayView['wait']>) => {
  const network = due?.network.network ?? ''
  const hash = html`<span class="short">${txHash && shortened(txHash, 6, 4)}</span>`
  return because === 'submitted'
    ? note({
        tone: 'info',
        icon: icons.clock,
        title: texts.pay.sentTitle,
        text: fill(texts.pay.sentHint, { network, hash }),
        isStatus: true,
      })
    : note({
        tone: 'warn',
        icon: icons.warning,
        title: fill(texts.pay.droppedTitle, { network }),
        text: texts.pay.droppedHint,
        isStatus: true,
      })
}

const troubleNote = ({ texts, facts }: CheckoutScene, { due }: PayView, { since }: NonNullable<PayView['trouble']>) => {
  const network = due?.network.network ?? ''
  const title = since
    ? fill(texts.pay.troubleTitleSince, { network, time: clockTime(since, facts.now, facts.locale) })
    : fill(texts.pay.troubleTitle, { network })
  return note({ tone: 'warn', icon: icons.warning, title, text: texts.pay.troubleHint, isStatus: true })
}

/** The address, as text and as a QR code. */
const target = (scene: CheckoutScene, due: AmountDue, view: PayView): Html => {
  const { texts, facts } = scene
  const { network, denomination, amount } = due
  const isTest = facts.link?.context.livemode === false
  const strong = html`<strong>${amount.text}</strong>`
  const only = { asset: denomination.asset, network: network.network }
  const rules = isTest
    ? [html`${icons.info}<span>${fill(texts.pay.testOnly, only)}</span>`]
    : [
        html`${icons.info}<span>${fill(view.received ? texts.pay.sameAddress : texts.pay.onlyAsset, only)}</span>`,
        html`${icons.bank}<span>${fill(view.received ? texts.pay.exchangeRest : texts.pay.exchange, { due: strong })}</span>`,
      ]
  return html`${isTest && network.isSandbox && sandbox(scene, due)}
<div class="sheet target">
<div class="target__to">
<p class="copy__label">${fill(texts.pay.toAddress, { network: network.network })}</p>
${addressText(due.address)}
<button class="button${!(isTest && network.isSandbox) && ' button--primary'} needs-script" type="button" data-testid="copy-address" data-copy="${due.address}">${icons.copy}<span>${texts.pay.copyAddress}</span></button>
<ul class="target__rules">${rules.map(rule => html`<li>${rule}</li>`)}</ul>
</div>
<div class="qr" data-testid="qr">
<div class="qr__frame">
${qrImage(due.address, texts.pay.qrAddressLabel, 'qr__plain')}
${qrImage(due.uri, fillText(texts.pay.qrAmountLabel, { due: amount.text }), 'qr__amount')}
</div>
<fieldset class="segments" data-testid="qr-amount-toggle">
<legend class="sr">${texts.pay.qrHolds}</legend>
<label><input type="radio" name="qr" value="address" checked>${texts.pay.qrAddress}</label>
<label><input type="radio" name="qr" value="amount">${texts.pay.qrAmount}</label>
</fieldset>
</div>
</div>`
}

/** Five groups of four in two lines. The gaps are margins, so that a selection has none. */
const addressText = (address: string): Html => {
  const groups = address.slice(2).match(/.{4}/g) ?? []
  return html`<code class="address" dir="ltr" data-testid="deposit-address" data-value="${address}"><span>0x</span>${groups.map(
    (group, at) =>
      html`${at > 0 && html`<wbr>`}<span${(at === 0 || at === groups.length - 1) && html` class="end"`}>${group}</span>`,
  )}</code>`
}

/** The width of the frame, in pixels. */
const QR_FRAME = 222

/** With modules of whole pixels, so that no camera sees a blurred edge. */
export const qrImage = (text: string, label: string, name: string): Html => {
  const { size, path } = qrCells(text)
  const width = size * Math.max(2, Math.floor(QR_FRAME / size))
  return html`<svg class="${name}" viewBox="0 0 ${size} ${size}" width="${width}" height="${width}" shape-rendering="crispEdges" role="img" aria-label="${label}"><path d="${path}"/></svg>`
}

const sandbox = ({ texts, path, query }: CheckoutScene, { amount }: AmountDue): Html =>
  html`${note({ tone: 'info', icon: icons.flask, title: texts.pay.sandboxTitle, text: fill(texts.pay.sandboxHint, { due: amount.text }) })}
<form method="post" action="${path}/simulate${query}" data-live><button class="button button--primary button--large button--wide" data-testid="sandbox-pay">${texts.pay.sandboxPay}</button></form>`

const rows = (scene: CheckoutScene, due: AmountDue, view: PayView, options: PayOptions): Html => html`<div class="rows">
${view.status === 'underpaid' && restRow(scene, view)}
${walletRow(scene, due, options)}
${phoneRow(scene, options)}
${view.choices.length > 1 && changeRow(scene, view, options)}
</div>`

const restRow = ({ texts, facts }: CheckoutScene, { ends, received }: PayView): Html => {
  const values = {
    time: clockTime(ends, facts.now, facts.locale),
    amount: received?.text ?? '',
    shop: shopName(facts.shop),
  }
  return html`<div class="row">${icons.clock}<div><h2>${texts.underpaid.ifNot}</h2><p>${fill(facts.invoice ? texts.invoice.ifNotHint : texts.underpaid.ifNotHint, values)}</p></div></div>`
}

/** Filled by the script. Everything that a wallet is asked for is here, made of the same values as the page. */
const walletRow = ({ texts }: CheckoutScene, due: AmountDue, { rpcUrl, anchor }: PayOptions): Html => {
  const { network, denomination, amount, address, tokenAddress } = due
  const order = {
    chainId: network.chainId,
    network: network.network,
    native: network.native,
    rpcUrl: rpcUrl ?? null,
    explorerUrl: network.explorerUrl,
    to: address,
    token: tokenAddress,
    units: String(amount.units),
    due: amount.text,
    asset: denomination.asset,
    decimals: denomination.decimals,
    anchor: anchor ?? null,
  }
  return html`<div class="row needs-script">${icons.wallet}<div>
<h2>${texts.pay.wallets}</h2>
<p>${texts.pay.walletsHint}</p>
<template data-icons>${icons.info}${icons.warning}</template>
<div class="wallets" data-keep data-wallets data-order="${JSON.stringify(order)}"></div>
</div></div>`
}

/** The QR code contains the secret of the payment, so it is in the page only while the customer wants it. */
const phoneRow = ({ texts, path, query }: CheckoutScene, { phoneUrl }: PayOptions): Html => {
  const isOpen = phoneUrl !== undefined
  const language = query.replace('?', '&')
  return html`<div class="row--fold to-phone" data-testid="continue-on-phone"${isOpen && html` data-open`}>
<a class="row__head" href="${path}${isOpen ? query : `?phone=1${language}`}" data-fetch aria-expanded="${isOpen ? 'true' : 'false'}">${icons.phone}<span>${texts.pay.phone}</span>${icons.turn}</a>
${
  isOpen &&
  html`<div class="block"><p class="small quiet">${texts.pay.phoneHint}</p><div class="qr"><div class="qr__frame" data-testid="phone-qr">${qrImage(phoneUrl, texts.pay.phoneLabel, 'qr__page')}</div></div></div>`
}
</div>`
}

const changeRow = (scene: CheckoutScene, { choices }: PayView, { refused }: PayOptions): Html => {
  const { texts, path, query } = scene
  return html`<details class="row--fold" id="change"${refused?.errors.asset !== undefined && html` open`}>
<summary class="row__head" data-testid="change-asset">${icons.change}<span>${texts.pay.change}</span>${icons.turn}</summary>
<div class="block">
<p class="small quiet">${texts.pay.changeHint}</p>
<form class="form" method="post" action="${path}/asset${query}">
${choiceList(scene, { choices, chosen: refused?.asset, error: refused?.errors.asset })}
<div class="buttons"><button class="button" data-testid="continue">${texts.pay.changeSubmit}</button></div>
</form>
</div>
</details>`
}

const strayNote = (scene: CheckoutScene, view: PayView): Html => {
  const { texts, facts } = scene
  const { due } = view
  const values = {
    shop: shopName(facts.shop),
    asset: due?.denomination.asset ?? '',
    network: due?.network.network ?? '',
  }
  const text = fill(due ? texts.stray.hint : texts.stray.hintEnded, values)
  return note({ tone: 'warn', icon: icons.warning, title: strayTitle(scene, view), text, isStatus: true })
}

const strayTitle = ({ texts, facts }: CheckoutScene, { stray, expected }: PayView): string => {
  const asset = facts.payment?.payment.context.asset ?? ''
  const dueNetwork = facts.payment?.network?.network ?? ''
  const amount = stray && strayText(stray)
  if (stray?.isOtherChain)
    return amount === null || stray.network === null
      ? fillText(texts.stray.chainUnknown, { dueNetwork })
      : fillText(texts.stray.chain, { amount, network: stray.network, dueNetwork })
  return amount === null
    ? fillText(texts.stray.assetUnknown, { asset })
    : fillText(texts.stray.asset, { amount, asset, expected: expected.text })
}

const strayFacts = ({ texts, facts }: CheckoutScene, { stray }: PayView): Html | undefined => {
  if (stray === null || stray.txHash === null) return undefined
  const amount = strayText(stray)
  const rows: (Fact | false)[] = [
    amount !== null &&
      stray.network !== null && [
        texts.stray.arrived,
        fillText(texts.stray.amountOn, { amount, network: stray.network }),
        'num',
      ],
    [texts.stray.transaction, transactionLink(stray.txHash, stray.explorerUrl)],
    [texts.frame.paymentNumber, html`<span class="short">${shortened(facts.payment?.id ?? '', 10, 4)}</span>`],
  ]
  return factList(rows)
}

const ended = (scene: CheckoutScene, { ends }: PayView): Html => {
  const { texts, facts } = scene
  const lead = fill(texts.stray.lead, { time: clockTime(ends, facts.now, facts.locale) })
  return html`${endingHead({ tone: 'warn', seal: 'clock', heading: texts.expired.heading, lead })}
${actions([facts.isOpen && againButton(scene, texts.expired.again)])}`
}

/** Opens a new payment of the same link for the same customer. */
export const againButton = ({ path, query }: CheckoutScene, word: string): Html =>
  html`<form method="post" action="${path}/again${query}"><button class="button button--primary button--large" data-testid="start-again">${word}</button></form>`

export const priceExpiredStep = (
  scene: CheckoutScene,
  { due, ended, choices }: Extract<CheckoutView, { status: 'price_expired' }>,
  { refused }: PayOptions,
): Html => {
  const { texts, facts, path, query } = scene
  const values = { due: due.amount.text, time: clockTime(ended, facts.now, facts.locale) }
  return html`${strip(scene, { at: 'send', word: texts.strip.priceExpired, tone: 'warn', shape: 'diamond' })}
<div class="body">
${endingHead({ tone: 'warn', seal: 'clock', heading: texts.priceExpired.heading, lead: fill(texts.priceExpired.lead, values) })}
<form class="form" method="post" action="${path}/asset${query}">
${choiceList(scene, { choices, chosen: refused?.asset, error: refused?.errors.asset })}
<button class="button button--primary button--large button--wide" data-testid="continue">${texts.priceExpired.submit}</button>
</form>
${note({ tone: 'quiet', title: texts.priceExpired.sentTitle, text: texts.priceExpired.sentHint })}
</div>`
}

/** Null if the asset is not configured on this server. */
export const strayText = ({ amount, asset, decimals, isNative }: NonNullable<PayView['stray']>): string | null =>
  asset === null ? null : arrivedAmount(amount, { asset, decimals, isNative }).text
