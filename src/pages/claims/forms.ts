import type { ClaimsTexts } from '../../web/text/claims/texts.ts'
import { fill } from '../checkout/fill.ts'
import { type Html, html } from '../html.ts'

export type ClaimFault = keyof ClaimsTexts['faults']

type Naming = {
  readonly texts: ClaimsTexts
  readonly network: string
  /** The message that a wallet signs, for the script of the page. */
  readonly message: string
  readonly attempt: { readonly address: string; readonly fault: ClaimFault } | undefined
}

export const namingForm = ({ texts, network, message, attempt }: Naming): Html => {
  const { warnings } = texts
  return html`<form method="post">
${attempt && html`<p class="fault" id="fault" role="alert" data-fault="${attempt.fault}">${texts.faults[attempt.fault]}</p>`}
<div class="field">
<label for="address">${fill(texts.address, { network })}</label>
<input class="input input--mono" id="address" name="address" value="${attempt?.address}" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" placeholder="0x…"${attempt ? html` aria-invalid="true" aria-describedby="fault warnings" autofocus` : html` aria-describedby="warnings"`}>
</div>
<input id="signature" name="signature" type="hidden" value="">
<div id="wallet" data-message="${message}" hidden>
<p class="quiet">${texts.orWallet}</p>
<ul class="wallet-list"></ul>
</div>
<p id="wallet-says" class="quiet" role="status"></p>
<ul id="warnings" class="warnings">
<li><strong>${warnings.own}</strong> ${warnings.ownWhat}</li>
<li><strong>${fill(warnings.network, { network })}</strong> ${warnings.networkWhat}</li>
<li><strong>${warnings.final}</strong> ${warnings.finalWhat}</li>
</ul>
<button class="button button--primary button--large button--wide">${texts.submit}</button>
</form>`
}

/** In the sandbox customers have no wallet: this is the one that pays there. */
export const sandboxForm = (
  { sandbox }: ClaimsTexts,
  address: string,
): Html => html`<form method="post" class="sandbox">
<p class="quiet">${sandbox.what}</p>
<input name="address" type="hidden" value="${address}">
<button class="button button--wide" data-testid="sandbox-wallet">${sandbox.use}</button>
</form>`

type Confirmation = {
  readonly texts: ClaimsTexts
  readonly network: string
  readonly address: string
  readonly signature: string
  readonly isSandboxWallet: boolean
}

export const confirmForm = ({
  texts: { confirm },
  network,
  address,
  signature,
  isSandboxWallet,
}: Confirmation): Html => html`<form method="post">
<p>${isSandboxWallet ? confirm.sandbox : confirm.compare}</p>
<p class="named" id="named"><code>${inFours(address)}</code></p>
${signature !== '' && html`<p>${confirm.signed}</p>`}
<p><strong>${confirm.final}</strong> ${fill(confirm.finalWhat, { network })}</p>
<input name="address" type="hidden" value="${address}">
<input name="signature" type="hidden" value="${signature}">
<input name="confirmed" type="hidden" value="yes">
<button class="button button--primary button--large button--wide" aria-describedby="named">${confirm.submit}</button>
<p><a href="">${confirm.another}</a></p>
</form>`

/** The spaces between the groups are CSS only: a copied address has none. */
export const inFours = (address: string): readonly Html[] =>
  (address.match(/^0x|.{4}/g) ?? []).map(four => html`<span>${four}</span>`)
