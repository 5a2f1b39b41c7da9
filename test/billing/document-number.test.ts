import { expect, test } from 'bun:test'
import {
  isNumberPrefix,
  type NumberedDocument,
  type NumberRestart,
  parseNumberPattern,
  renderNumber,
  seriesYear,
} from '../../src/billing/document-number.ts'

const patternOf = (text: string, restart: NumberRestart = 'never') => {
  const parsed = parseNumberPattern(text, restart)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.pattern
}

const numberOf = (text: string, document: Partial<NumberedDocument> = {}): string =>
  renderNumber({
    pattern: patternOf(text),
    ...{ prefix: 'INV', issueDate: '2026-11-27', number: 7, livemode: true, testClockId: null },
    ...document,
  })

test.each([
  ['{prefix}-{year}-{number:4}', 'INV-2026-0007'],
  ['{number}', '7'],
  ['{year}/{number:6}', '2026/000007'],
  ['RE{year}.{number:2}_A#{prefix}', 'RE2026.07_A#INV'],
  ['{number:1}', '7'],
  ['{number:12}', '000000000007'],
])('%s is rendered as %s', (pattern, number) => {
  expect(numberOf(pattern)).toBe(number)
})

test('a number with more digits than the pattern is not cut', () => {
  expect(numberOf('{prefix}-{number:4}', { number: 9_999 })).toBe('INV-9999')
  expect(numberOf('{prefix}-{number:4}', { number: 10_000 })).toBe('INV-10000')
})

test('test mode puts TEST- in front, and a test clock also the end of its ID', () => {
  const pattern = '{prefix}-{year}-{number:4}'
  expect(numberOf(pattern, { livemode: false })).toBe('TEST-INV-2026-0007')
  expect(numberOf(pattern, { livemode: false, testClockId: 'clk_01m7ygh5qmfvg9bxgmmwc0qqnf', prefix: 'CN' })).toBe(
    'TEST-c0qqnf-CN-2026-0007',
  )
})

test('the year is that of the issue date', () => {
  expect(numberOf('{year}-{number}', { issueDate: '2027-01-01' })).toBe('2027-7')
  expect(seriesYear('yearly', '2027-01-01')).toBe(2027)
  expect(seriesYear('never', '2027-01-01')).toBeNull()
})

const messages = {
  number: 'numberPattern must contain {number} once.',
  year: 'numberPattern must contain {year} if numbers restart every year.',
  characters: 'numberPattern can contain {prefix}, {year}, {number} or {number:4}, letters, digits and - _ . / #.',
}

const refused: readonly [pattern: string, restart: NumberRestart, fault: keyof typeof messages][] = [
  ['{prefix}-{year}', 'yearly', 'number'],
  ['{number}-{number:4}', 'never', 'number'],
  ['{prefix}-{number}', 'yearly', 'year'],
  ['', 'never', 'characters'],
  ['{number:0}', 'never', 'characters'],
  ['{number:13}', 'never', 'characters'],
  ['{number:04}', 'never', 'characters'],
  ['{month}-{number}', 'never', 'characters'],
  ['{number', 'never', 'characters'],
  ['{{number}}', 'never', 'characters'],
  ['{number} ', 'never', 'characters'],
  ['{number}"', 'never', 'characters'],
  ['{number}\\', 'never', 'characters'],
  ['{number}ä', 'never', 'characters'],
  ['{number}\n', 'never', 'characters'],
  [`{number}${'x'.repeat(53)}`, 'never', 'characters'],
]

test.each([...refused])('the pattern %j with restart %s is refused', (pattern, restart, fault) => {
  expect(parseNumberPattern(pattern, restart)).toEqual({ ok: false, fault, message: messages[fault] })
})

test('a prefix has 1 to 20 of the same characters', () => {
  expect(['INV', 'a', 'RE.1', 'x'.repeat(20)].filter(each => !isNumberPrefix(each))).toEqual([])
  expect(['', 'x'.repeat(21), 'Ä', 'a b', '{year}', 'a"', 'a\n'].filter(isNumberPrefix)).toEqual([])
})
