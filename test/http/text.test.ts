import { expect, test } from 'bun:test'
import { type } from 'arktype'
import { schemaOf } from '../../src/http/openapi/schema.ts'
import { boundedText, hasLength } from '../../src/http/text.ts'

const emoji = (count: number) => '😀'.repeat(count)

const texts: readonly [text: string, least: number, most: number, isValid: boolean][] = [
  ['', 0, 5, true],
  ['', 1, 5, false],
  ['a', 1, 5, true],
  ['abcde', 1, 5, true],
  ['abcdef', 1, 5, false],
  [emoji(1), 1, 5, true],
  [emoji(5), 1, 5, true],
  [`${emoji(4)}a`, 1, 5, true],
  [`${emoji(4)}ab`, 1, 5, false],
  [emoji(6), 1, 5, false],
  [emoji(1), 2, 5, false],
  [emoji(5), 6, 20, false],
  [emoji(6), 6, 20, true],
  // Three people and two joiners: counted as five characters, also by Postgres.
  ['👩‍👩‍👦', 1, 5, true],
  ['👩‍👩‍👦', 1, 4, false],
]

test.each(texts)('%j, of %d to %d characters: %p', (text, least, most, isValid) => {
  expect([hasLength(text, least, most), boundedText(least, most).allows(text)]).toEqual([isValid, isValid])
})

test('the document gives the limits in characters', () => {
  const some = type({
    'title?': boundedText(1, 200).or('null'),
    'url?': boundedText(0, 2048).narrow(text => text.startsWith('https:')),
    notes: { '[string]': boundedText(0, 5) },
  })
  expect(schemaOf(some)).toMatchObject({
    properties: {
      title: { anyOf: [{ type: 'string', minLength: 1, maxLength: 200 }, { type: 'null' }] },
      url: { type: 'string', maxLength: 2048 },
      notes: { additionalProperties: { type: 'string', maxLength: 5 } },
    },
  })
})
