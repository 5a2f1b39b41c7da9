import { type Html, html } from '../html.ts'

/** The frame of a page for customers: one card. */
export const card = (content: Html): Html => html`<main class="card"><article>${content}</article></main>`

/** The amount in large type; in smaller type if the number would break on a narrow screen. */
export const amountLine = (amount: string): Html =>
  html`<p class="${amount.length > 12 ? 'amount long' : 'amount'}">${amount}</p>`
