import type { Plan } from '../../../machines/plan.ts'
import type { Actor } from '../../actors/kind.ts'
import { valuesIn } from '../../billing/document/values.ts'
import { namedSums } from '../../billing/document/wording.ts'
import type { CheckoutTexts } from '../../web/text/checkout/en.ts'
import { checkoutTextsOf } from '../../web/text/checkout/texts.ts'
import type { WholeText } from '../answer.ts'
import { type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import { definePage } from '../layout.ts'
import { moneyOf } from '../money.ts'
import type { Web } from '../web.ts'
import { brandStyle } from './brand.ts'
import type { CheckoutFacts } from './facts.ts'
import { fill, fillText } from './fill.ts'
import { type RefusedForm, who } from './open.ts'
import { brandHeader } from './page.ts'
import {
  actions,
  type CheckoutScene,
  contactButton,
  endingHead,
  type Fact,
  factList,
  foot,
  logo,
  note,
  priceOf,
  shopName,
  testBanner,
} from './parts.ts'

/** `isReady`: whether the merchant can issue invoices. Without `plan`, it is not known. */
export type PlanFacts = {
  readonly checkout: CheckoutFacts
  readonly plan?: Actor<Plan>
  readonly isReady: boolean
}

export type PlanPageRequest = {
  readonly path: string
  /** `?lang=de`, if the customer has chosen it. */
  readonly query: string
  readonly refused: (RefusedForm & { readonly status: number }) | undefined
}

const page = definePage({
  ...{ style: 'invoice/invoice.css', inlined: true, script: 'pay/main.ts', trustedTypes: 'markup' },
})

export const planPage = (
  web: Web,
  { checkout, plan, isReady }: PlanFacts,
  { path, query, refused }: PlanPageRequest,
): WholeText => {
  const texts = checkoutTextsOf(checkout.locale)
  const scene: CheckoutScene = { facts: checkout, texts, path, query, isRefused: refused !== undefined }
  if (!plan) return unknownPage(web, scene)
  const { locale, shop } = checkout
  const { context } = plan
  const isOpen = plan.state === 'active' && isReady && context.totalMinor > 0
  const closed = plan.state === 'archived' ? 'closed' : 'unavailable'
  const body = html`<a class="skip" href="#main">${texts.plan.skip}</a>
<div class="banner" role="status" data-banner hidden>${icons.offline}<p></p></div>
${!context.livemode && testBanner(scene)}
<div class="frame">
${planHead(scene, context)}
<main class="step" id="main" data-testid="status" data-status="${isOpen ? 'open' : closed}">
${isOpen ? subscribeStep(scene, context, refused) : closedStep(scene, context, closed)}
</main>
</div>
${foot(scene)}`
  const plain = fillText(texts.plan.title, { plan: context.name, shop: shop.name })
  const title = refused ? fillText(texts.open.errorTitle, { title: plain }) : plain
  return page(web, {
    status: plan.state === 'archived' ? 410 : (refused?.status ?? 200),
    title: context.livemode ? title : fillText(texts.test.title, { title }),
    lang: locale,
    body,
    bodyClass: 'page',
    ...(shop.accentColor !== null && { ownStyle: brandStyle(shop.accentColor) }),
  })
}

/** How often a period is paid. */
export const everyText = (
  { plan }: CheckoutTexts,
  { interval, intervalCount }: Pick<Plan, 'interval' | 'intervalCount'>,
): string => (intervalCount === 1 ? plan.every[interval] : fillText(plan.everyMany[interval], { count: intervalCount }))

const daysText = ({ plan }: CheckoutTexts, count: number): string =>
  count === 1 ? plan.day : fillText(plan.days, { count })

/** In the place of the order of a checkout. */
const planHead = (scene: CheckoutScene, plan: Plan): Html => {
  const { facts, texts } = scene
  const { name, description, totalMinor: amountMinor, currency, livemode, trialDays } = plan
  return html`<section class="order" aria-label="${texts.plan.order}">
<div class="shop">${logo(facts.shop)}<span class="shop__name">${shopName(facts.shop)}</span></div>
<div class="order__what">
<p class="order__item" dir="auto">${name}</p>
${priceOf(scene, { amountMinor, currency, livemode })}
<p class="order__text">${everyText(texts, plan)}${trialDays > 0 && html` · ${fillText(texts.plan.trial, { days: daysText(texts, trialDays) })}`}</p>
${description !== null && html`<p class="order__text" dir="auto">${description}</p>`}
</div>
</section>`
}

const subscribeStep = (scene: CheckoutScene, plan: Plan, refused: RefusedForm | undefined): Html => {
  const { texts, facts, path, query } = scene
  const isTrial = plan.trialDays > 0
  const name = html`<bdi>${plan.name}</bdi>`
  const error = refused?.errors.page
  return html`<div class="body invoice">
<div class="step__head"><h1 tabindex="-1">${fill(isTrial ? texts.plan.headingTrial : texts.plan.heading, { plan: name })}</h1></div>
${error !== undefined && html`<div data-testid="error">${note({ tone: 'bad', icon: icons.warning, title: error, text: '', isStatus: true })}</div>`}
<form class="form" method="post" action="${path}${query}" novalidate>
${who(scene, refused, texts.plan.emailHint)}
<section class="block">
<h2>${texts.plan.next}</h2>
<ul class="items">${nextSteps(scene, plan).map(sentence => html`<li><p class="items__name">${sentence}</p></li>`)}</ul>
</section>
<div class="submit">
<button class="button button--primary button--large button--wide" data-testid="subscribe">${isTrial ? texts.plan.submitTrial : texts.plan.submit}</button>
</div>
</form>
<section class="block">
<h2>${texts.plan.sums}</h2>
${priceFacts(plan, facts)}
</section>
</div>`
}

/** What the visitor agrees to. */
const nextSteps = ({ texts: { plan: words, ...texts }, facts }: CheckoutScene, plan: Plan): readonly Html[] => {
  const price = moneyOf(plan.totalMinor, plan.currency, facts.locale)
  const values = { price, shop: shopName(facts.shop), every: everyText({ ...texts, plan: words }, plan) }
  const end = plan.maxPeriods === 1 ? words.nextEndOne : words.nextEnd
  const sentences = [
    ...(plan.trialDays > 0 ? [words.nextTrial, words.nextTrialEnd] : [words.nextPay]),
    ...(plan.maxPeriods === 1 ? [] : [words.nextRenew]),
    ...(plan.maxPeriods === null ? [] : [end]),
    words.nextCancel,
  ]
  return sentences.map(sentence => fill(sentence, { ...values, count: plan.maxPeriods ?? 0 }))
}

const priceFacts = (plan: Plan, { locale }: CheckoutFacts): Html => {
  const values = valuesIn(locale, plan.currency)
  return factList([
    ...namedSums(values, plan).map(([name, amountMinor]): Fact => [name, values.money(amountMinor), 'num']),
    [values.texts.total, values.money(plan.totalMinor), 'sum'],
  ])
}

const closedStep = (scene: CheckoutScene, plan: Plan, status: 'closed' | 'unavailable'): Html => {
  const { texts, facts } = scene
  const values = { shop: shopName(facts.shop), plan: html`<bdi>${plan.name}</bdi>` }
  const [heading, lead] =
    status === 'closed'
      ? [texts.plan.archived, texts.plan.archivedLead]
      : [texts.plan.unavailable, texts.plan.unavailableLead]
  return html`<div class="body">
${endingHead({ tone: 'quiet', seal: 'dash', heading, lead: fill(lead, values) })}
${actions([contactButton(scene, texts.frame.contact)])}
</div>`
}

const unknownPage = (web: Web, scene: CheckoutScene): WholeText => {
  const { unknown: heading, unknownLead: lead, unknownTitle: title } = scene.texts.plan
  const body = html`<div class="frame">
${brandHeader()}
<main class="step" id="main" data-testid="status" data-status="not_found"><div class="body">${endingHead({ tone: 'quiet', seal: 'dash', heading, lead })}</div></main>
</div>
${foot({ ...scene, path: '' })}`
  return page(web, { status: 404, title, lang: scene.facts.locale, body, bodyClass: 'page' })
}
