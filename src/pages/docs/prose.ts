import { type Html, html } from '../html.ts'

/** Renders paragraphs, lists of `- ` and `code`, the only markup in the texts of the API reference. */
export const prose = (text: string): readonly Html[] => text.split('\n\n').map(block)

const block = (text: string): Html => {
  const lines = text.split('\n')
  if (!lines.every(line => line.startsWith('- '))) return html`<p>${inline(text)}</p>`
  return html`<ul>${lines.map(line => html`<li>${inline(line.slice(2))}</li>`)}</ul>`
}

export const inline = (text: string): readonly Html[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

export const code = (value: unknown): Html =>
  html`<pre tabindex="0"><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`
