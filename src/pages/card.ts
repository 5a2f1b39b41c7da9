import { type Html, html } from './html.ts'

/** What a customer sees of one thing, and nothing else. */
export const card = (content: Html): Html => html`<main class="card"><article>${content}</article></main>`

export const cardStyle = new URL('./card.css', import.meta.url)

/** The largest thing on it; smaller where it would break inside the number on a narrow screen. */
export const amountLine = (amount: string): Html =>
  html`<p class="${amount.length > 12 ? 'amount long' : 'amount'}">${amount}</p>`
