import { formatsOf } from '../../web/text/format.ts'
import { type Html, html } from '../html.ts'
import { icons, shapes } from '../icons.ts'
import { moneyOf } from '../money.ts'
import { fill } from './fill.ts'
import { clockTime } from './moments.ts'
import type { CheckoutScene } from './parts.ts'
import type { Choice } from './view.ts'

/** More than these are folded. */
const SHOWN = 4

export type ListedChoices = {
  readonly choices: readonly Choice[]
  /** What was chosen before the form was refused: `8453:USDC`. */
  readonly chosen?: string | undefined
  readonly error?: string | undefined
}

/** The assets as radio buttons. */
export const choiceList = (scene: CheckoutScene, { choices, chosen, error }: ListedChoices): Html => {
  const { texts } = scene
  const kept = choices.find(choice => choice.lack === null && fieldValue(choice) === chosen)
  const rows = choices.map(choice => ({ choice, isChecked: kept ? choice === kept : choice.isChecked }))
  // One folded row would take the place of the fold.
  const shown = rows.length === SHOWN + 1 && rows[SHOWN]?.isChecked ? SHOWN + 1 : SHOWN
  const more = rows.slice(shown)
  return html`<fieldset${error !== undefined && html` aria-describedby="asset-error"`}>
<legend class="legend">${texts.open.payWith}${choices.length > 1 && html` <small>${texts.open.lowestFee}</small>`}</legend>
<div class="choices">
${rows.slice(0, shown).map(({ choice, isChecked }) => row(scene, choice, isChecked))}
${
  more.length > 0 &&
  html`<details class="fold"${more.some(({ isChecked }) => isChecked) && html` open`}>
<summary>${icons.turn}${fill(texts.open.more, {
    count: more.length,
    assets: namesOf(
      scene,
      more.map(({ choice }) => choice),
    ),
  })}</summary>
${more.map(({ choice, isChecked }) => row(scene, choice, isChecked))}
</details>`
}
</div>
${error !== undefined && html`<p class="error" id="asset-error" data-testid="error">${icons.warningSmall}${error}</p>`}
</fieldset>`
}

const fieldValue = ({ option }: Choice): string => `${option.chainId}:${option.asset}`

const row = (scene: CheckoutScene, choice: Choice, isChecked: boolean): Html => {
  const { option, lack } = choice
  const { texts } = scene
  return html`<label class="choice${sumOf(scene, choice).length > 18 && ' choice--long'}" data-testid="asset" data-chain="${option.chainId}" data-asset="${option.asset}">
<input type="radio" name="asset" value="${fieldValue(choice)}"${isChecked && html` checked`}${lack !== null && html` disabled`} required>
<span class="choice__name"><b>${option.asset}</b><span>${fill(texts.open.on, { network: option.network })}</span></span>
<span class="choice__sum">${lack === null ? amount(scene, choice) : lackOf(scene, choice)}</span>
</label>`
}

/** As the language writes it: it is compared here, and copied from the next step. */
const sumOf = ({ facts }: CheckoutScene, { option, amount }: Choice): string =>
  amount === null ? '' : formatsOf(facts.locale).units(amount.units, option)

const amount = (scene: CheckoutScene, choice: Choice): Html => {
  const { texts, facts } = scene
  const { option } = choice
  const currency = facts.link?.context.currency ?? 'USD'
  const fee = option.networkFeeMinor
  const below = fee === 0
  const sentence = below ? texts.open.feeBelow : texts.open.fee
  return html`<b>${sumOf(scene, choice)}</b>${fee !== null && html`<span>${fill(sentence, { fee: moneyOf(below ? 1 : fee, currency, facts.locale) })}</span>`}`
}

const lackOf = ({ texts, facts }: CheckoutScene, { lack, since }: Choice): Html => {
  const word = lack === 'network' ? texts.open.noAnswer : texts.open.noPrice
  const when =
    lack === 'network'
      ? since && fill(texts.open.since, { time: clockTime(since, facts.now, facts.locale) })
      : texts.open.noPriceNow
  return html`<strong class="badge" data-tone="warn">${shapes.away}${word}</strong>${when && html`<span>${when}</span>`}`
}

/** `ETH on Ethereum`, or only the symbols if there are several. */
const namesOf = ({ texts }: CheckoutScene, choices: readonly Choice[]): Html => {
  const [first] = choices
  if (choices.length === 1 && first)
    return html`${first.option.asset} ${fill(texts.open.on, { network: first.option.network })}`
  return html`${[...new Set(choices.map(({ option }) => option.asset))].join(', ')}`
}
