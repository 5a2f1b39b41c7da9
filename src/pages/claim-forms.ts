import { type Html, html } from './html.ts'

export type ClaimFault = 'invalid_destination' | 'invalid_signature'

/** The page says what to do, and which refusal of the interface it is. */
const sentences: Readonly<Record<ClaimFault, string>> = {
  invalid_destination:
    'This is no address that the refund can be sent to. Copy it from your wallet: it begins with 0x and has 42 characters.',
  invalid_signature:
    'The signature was not made by the key of this address. Sign again with the right account, or go on without a signature.',
}

type Naming = {
  readonly network: string
  /** For the script: what a wallet is to sign. */
  readonly message: string
  readonly attempt: { readonly address: string; readonly fault: ClaimFault } | undefined
}

export const namingForm = ({ network, message, attempt }: Naming): Html => html`<form method="post">
${attempt && html`<p class="fault" id="fault" role="alert">${sentences[attempt.fault]} <code>${attempt.fault}</code></p>`}
<label for="address">Your address on ${network}</label>
<input id="address" name="address" value="${attempt?.address}" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" placeholder="0x…"${attempt ? html` aria-invalid="true" aria-describedby="fault warnings" autofocus` : html` aria-describedby="warnings"`}>
<input id="signature" name="signature" type="hidden" value="">
<div id="wallet" data-message="${message}" hidden>
<p class="quiet">Or take it from a wallet in this browser:</p>
<ul class="wallets"></ul>
</div>
<p id="wallet-says" class="quiet" role="status"></p>
<ul id="warnings" class="warnings">
<li><strong>Use a wallet of your own.</strong> A deposit address of an exchange may not accept the refund, and then it is lost.</li>
<li><strong>Only on ${network}.</strong> An address that you use on another network only may not be yours here.</li>
<li><strong>It cannot be changed afterwards.</strong> Nobody can bring back what was sent to a wrong address.</li>
</ul>
<button>Continue</button>
</form>`

type Confirmation = { readonly network: string; readonly address: string; readonly signature: string }

export const confirmForm = ({ network, address, signature }: Confirmation): Html => html`<form method="post">
<p>Compare every character with your wallet:</p>
<p class="address" id="named"><code>${inFours(address)}</code></p>
${signature !== '' && html`<p>Your wallet has signed that it is yours.</p>`}
<p><strong>This is final.</strong> The refund will be sent there on ${network}, and nobody can bring it back.</p>
<input name="address" type="hidden" value="${address}">
<input name="signature" type="hidden" value="${signature}">
<input name="confirmed" type="hidden" value="yes">
<button aria-describedby="named">Yes, send it there</button>
<p><a href="">No, take another address</a></p>
</form>`

/** Space between them for the eye alone: what is copied is the address. */
const inFours = (address: string): readonly Html[] =>
  (address.match(/^0x|.{4}/g) ?? []).map(four => html`<span>${four}</span>`)
