import { type Html, html } from './html.ts'

export type ClaimFault = 'invalid_destination' | 'invalid_signature'

/** The message on the page, which also shows the error code. */
const sentences: Readonly<Record<ClaimFault, string>> = {
  invalid_destination:
    'The refund cannot be sent to this address. Nothing was stored. Copy the address from your wallet: it starts with 0x and has 42 characters.',
  invalid_signature:
    'The signature does not belong to this address. Nothing was stored. Sign again with the account of this address, or continue without a signature.',
}

type Naming = {
  readonly network: string
  /** The message that a wallet signs, for the script of the page. */
  readonly message: string
  readonly attempt: { readonly address: string; readonly fault: ClaimFault } | undefined
}

export const namingForm = ({ network, message, attempt }: Naming): Html => html`<form method="post">
${attempt && html`<p class="fault" id="fault" role="alert">${sentences[attempt.fault]} <code>${attempt.fault}</code></p>`}
<div class="field">
<label for="address">Your address on ${network}</label>
<input class="input input--mono" id="address" name="address" value="${attempt?.address}" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" placeholder="0x…"${attempt ? html` aria-invalid="true" aria-describedby="fault warnings" autofocus` : html` aria-describedby="warnings"`}>
</div>
<input id="signature" name="signature" type="hidden" value="">
<div id="wallet" data-message="${message}" hidden>
<p class="quiet">Or use a wallet in this browser:</p>
<ul class="wallet-list"></ul>
</div>
<p id="wallet-says" class="quiet" role="status"></p>
<ul id="warnings" class="warnings">
<li><strong>Use your own wallet.</strong> An exchange may not credit a refund to your deposit address. The money would be lost.</li>
<li><strong>Use an address on ${network}.</strong> The refund is sent on this network only. An address of another network may not belong to you here.</li>
<li><strong>The address cannot be changed later.</strong> Money that was sent to a wrong address cannot be recovered.</li>
</ul>
<button class="button button--primary button--large button--wide">Continue</button>
</form>`

type Confirmation = { readonly network: string; readonly address: string; readonly signature: string }

export const confirmForm = ({ network, address, signature }: Confirmation): Html => html`<form method="post">
<p>Compare each character with the address in your wallet:</p>
<p class="named" id="named"><code>${inFours(address)}</code></p>
${signature !== '' && html`<p>Your wallet has confirmed that this address is yours.</p>`}
<p><strong>You cannot change this later.</strong> The refund will be sent to this address on ${network}. It cannot be reversed.</p>
<input name="address" type="hidden" value="${address}">
<input name="signature" type="hidden" value="${signature}">
<input name="confirmed" type="hidden" value="yes">
<button class="button button--primary button--large button--wide" aria-describedby="named">Confirm address</button>
<p><a href="">Use another address</a></p>
</form>`

/** The spaces between the groups are CSS only: a copied address has none. */
export const inFours = (address: string): readonly Html[] =>
  (address.match(/^0x|.{4}/g) ?? []).map(four => html`<span>${four}</span>`)
