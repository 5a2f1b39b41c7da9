import { type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import { choiceList } from './choices.ts'
import { fill } from './fill.ts'
import { type CheckoutScene, shopName, strip } from './parts.ts'
import type { OpenView } from './view.ts'

/** A form that was refused: what was entered, and what is wrong with it. */
export type RefusedForm = {
  readonly email?: string | undefined
  readonly name?: string | undefined
  /** `8453:USDC` */
  readonly asset?: string | undefined
  readonly errors: { readonly email?: string; readonly name?: string; readonly asset?: string; readonly page?: string }
}

export const openStep = (scene: CheckoutScene, view: OpenView, refused: RefusedForm | undefined): Html => {
  const { texts, path, query } = scene
  return html`${strip(scene, { at: 'details' })}
<div class="body">
<h1 class="sr" tabindex="-1">${texts.open.heading}</h1>
<form class="form" method="post" action="${path}${!view.needsEmail && '/asset'}${query}" novalidate>
${view.needsEmail && who(scene, refused, texts.open.emailHint)}
${choiceList(scene, { choices: view.choices, chosen: refused?.asset, error: refused?.errors.asset })}
<div class="submit">
<button class="button button--primary button--large button--wide" data-testid="continue">${texts.open.submit}</button>
${view.needsEmail && html`<p>${fill(texts.open.next, { window: windowText(scene) })}</p>`}
</div>
</form>
</div>`
}

/** Who the customer is: the e-mail address, and the name if they want. */
export const who = ({ texts, facts }: CheckoutScene, refused: RefusedForm | undefined, hint: string): Html => {
  const { email, name } = refused?.errors ?? {}
  // The cursor is put where the first mistake is.
  const at = (error: string | undefined) => error !== undefined && html` aria-invalid="true"`
  return html`<div class="form__who">
<div class="field">
<label for="email">${texts.open.email}</label>
<input class="input" id="email" name="email" type="email" inputmode="email" autocomplete="email" maxlength="254" required value="${refused?.email}" aria-describedby="${email === undefined ? 'email-hint' : 'email-error'}"${at(email)}${email !== undefined && html` autofocus`} data-testid="email">
${
  email === undefined
    ? html`<p class="hint" id="email-hint">${fill(hint, { shop: shopName(facts.shop) })}</p>`
    : html`<p class="error" id="email-error" data-testid="error">${icons.warningSmall}${email}</p>`
}
</div>
<details class="fold"${(refused?.name || name !== undefined) && html` open`}>
<summary>${icons.turn}${texts.open.addName}</summary>
<div class="field">
<label for="name">${texts.open.nameLabel} <span class="quiet">${texts.open.optional}</span></label>
<input class="input" id="name" name="name" autocomplete="name" maxlength="200" dir="auto" value="${refused?.name}"${name !== undefined && html` aria-describedby="name-error"`}${at(name)}${name !== undefined && email === undefined && html` autofocus`} data-testid="name">
${name !== undefined && html`<p class="error" id="name-error" data-testid="error">${icons.warningSmall}${name}</p>`}
</div>
</details>
</div>`
}

export const windowText = ({ facts, texts }: CheckoutScene): string => {
  const minutes = facts.link?.context.windowMinutes ?? 30
  const say = (one: string, many: string, count: number) => (count === 1 ? one : many.replace('{count}', String(count)))
  if (minutes % 1440 === 0) return say(texts.window.day, texts.window.days, minutes / 1440)
  if (minutes % 60 === 0) return say(texts.window.hour, texts.window.hours, minutes / 60)
  return say('', texts.window.minutes, minutes)
}
