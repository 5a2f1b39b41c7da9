import { expect, test } from 'bun:test'
import { fill, fillText } from '../../src/pages/checkout/fill.ts'
import { html, textOf } from '../../src/pages/html.ts'

test('a sentence that ends with a name has one period, also if the name has one', () => {
  const sentence = 'Ask {shop}. Or wait.'
  for (const [name, shown] of [
    ['Lamps', 'Lamps.'],
    ['Lampe e.K.', 'Lampe e.K.'],
  ] as const) {
    expect(fillText(sentence, { shop: name })).toBe(`Ask ${shown} Or wait.`)
    expect(textOf(fill(sentence, { shop: name }))).toBe(`Ask ${shown} Or wait.`)
  }
  expect(textOf(fill(sentence, { shop: html`<bdi>Lampe e.K.</bdi>` }))).toBe('Ask <bdi>Lampe e.K.</bdi> Or wait.')
  expect(textOf(fill('{a}. {b}', { a: html`<bdi>x</bdi>`, b: '<' }))).toBe('<bdi>x</bdi>. &#60;')
  expect(fillText('Write to {shop}, please.', { shop: 'Lampe e.K.' })).toBe('Write to Lampe e.K., please.')
})
