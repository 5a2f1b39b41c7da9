import { expect, test } from 'bun:test'
import { csvText } from '../../../src/web/parts/csv.ts'

test('cells are quoted as RFC 4180 has it, and every line ends with CR LF', () => {
  expect(
    csvText([
      ['Day', 'Money in (EUR)'],
      ['2026-11-25', { number: '1180.00' }],
      ['with "quotes", and a comma', null],
      ['two\nlines', { number: -3 }],
    ]),
  ).toBe('Day,Money in (EUR)\r\n2026-11-25,1180.00\r\n"with ""quotes"", and a comma",\r\n"two\nlines",-3\r\n')
})

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-5', "'-5"],
  ['@me', "'@me"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  ['=a,"b"', `"'=a,""b"""`],
  ['a=1', 'a=1'],
])('the text %j is %j: no spreadsheet runs it as a formula', (text, cell) => {
  expect(csvText([[text]])).toBe(`${cell}\r\n`)
})
