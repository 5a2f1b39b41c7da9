import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Code } from '../../../src/errors.ts'
import { errorsEn } from '../../../src/web/text/errors/en.ts'
import { errorSentence } from '../../../src/web/text/errors/texts.ts'
import { locales } from '../../../src/web/text/locale.ts'

const folder = fileURLToPath(new URL('../../../src/web/text/', import.meta.url))
const surfaces = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(path => basename(path) === 'en.ts')
  .map(path => dirname(path))

/** Texts that are the same in both languages: names, and words that German has taken over. */
const alike: readonly string[] = [
  ...['TEST', 'TEST · {title}', 'Name', 'Token', 'Block'],
  ...['{count} s', '1 {asset} = {rate} {currency}', '{units} = {amount}'],
  ...[
    'paymachine',
    'optional',
    'TEST · 2',
    'Test',
    'Live',
    'Links',
    'Shop',
    'Code',
    'CSV',
    'NDJSON',
    'Format',
    'Filter',
    'Webhooks',
    'Dashboard',
    'Version',
    'Revision',
    'p50 2 · p95 2',
    'In English',
    'Auf Deutsch',
  ],
]

/** Every text of a surface by its path. A function is called with two for every value. */
const textsOf = async (surface: string, locale: string): Promise<ReadonlyMap<string, string>> => {
  const exported: object = await import(`${folder}${surface}/${locale}.ts`)
  const [texts] = Object.values(exported)
  const found = new Map<string, string>()
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`)
    else found.set(path.slice(1), String(typeof value === 'function' ? value(2, 2, 2) : value))
  }
  walk(texts, '')
  return found
}

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

describe.each(surfaces)('the texts of %s', surface => {
  test('exist in both languages, under the same keys', async () => {
    const [english, german] = [await textsOf(surface, 'en'), await textsOf(surface, 'de')]
    expect(english.size).toBeGreaterThan(0)
    expect([...german.keys()]).toEqual([...english.keys()])
    for (const text of [...english.values(), ...german.values()]) expect(text.trim()).not.toBe('')
  })

  test('are translated: none is the same in both languages but those that must be', async () => {
    const german = await textsOf(surface, 'de')
    const same = [...(await textsOf(surface, 'en'))].filter(([key, text]) => german.get(key) === text)
    expect(same.filter(([, text]) => !alike.includes(text))).toEqual([])
  })

  test('have the same values filled in', async () => {
    const german = await textsOf(surface, 'de')
    for (const [key, text] of await textsOf(surface, 'en'))
      expect([key, placeholders(german.get(key) ?? '')]).toEqual([key, placeholders(text)])
  })

  test('follow the rules of copy: no exclamation marks, no three dots', async () => {
    for (const locale of locales)
      for (const [key, text] of await textsOf(surface, locale)) {
        expect([key, /!|\.\.\./.test(text)]).toEqual([key, false])
      }
  })
})

test('every text that exists is used in the tests above', () => {
  expect(surfaces).toEqual(expect.arrayContaining(['errors', 'dashboard', 'dashboard/payment']))
})

test('every error code has a sentence in every language', () => {
  for (const locale of locales)
    for (const code of Object.keys(errorsEn)) expect(errorSentence(code, locale)).toMatch(/^[A-ZÄÖÜ].*\.$/)
  expect(errorSentence('a_code_of_the_future', 'en')).toBe(errorsEn['internal_error' satisfies Code])
})
