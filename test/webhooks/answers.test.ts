import { expect, test } from 'bun:test'
import { parseRetryAfter } from '../../src/retry-after.ts'
import { snippetOf } from '../../src/webhooks/snippet.ts'

const now = new Date('2026-11-20T12:00:00.500Z')

test.each<[string | undefined, number | null]>([
  ['0', 0],
  ['60', 60],
  [' 60 ', 60],
  ['007', 7],
  ['86401', 86_400],
  ['9'.repeat(400), 86_400],
  ['Fri, 20 Nov 2026 12:00:01 GMT', 1],
  ['Fri, 20 Nov 2026 12:01:00 GMT', 60],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ['Fri, 99 Nov 2026 12:00:01 GMT', null],
  ['Fri, 20 Foo 2026 12:00:01 GMT', null],
  ['2026-11-20T12:00:01Z', null],
  ['1.5', null],
  ['-5', null],
  ['+5', null],
  ['1e3', null],
  ['0x10', null],
  ['60, 60', null],
  ['soon', null],
  ['', null],
  [undefined, null],
])('Retry-After: %s asks for %p seconds', (header, seconds) => expect(parseRetryAfter(header, now)).toBe(seconds))

test.each<[string, string | null]>([
  ['', null],
  [' \r\n\t ', null],
  ['\u0000\u001b\u202e', null],
  ['ok', 'ok'],
  ['  two\r\n\r\n\tlines\u2028here ', 'two lines here'],
  ['a\u0000b\u0007c\u007fd\u0085e', 'abcde'],
  ['\u001b[2J\u001b]0;title\u0007x', '[2J]0;titlex'],
  ['a\u202eb\u2066c\u200fd\ufeffe', 'abcd e'],
  ['<b>&amp;"\'</b>', '<b>&amp;"\'</b>'],
  ['Zahlung für 5 € ☕ 👍🏽', 'Zahlung für 5 € ☕ 👍🏽'],
  ['x'.repeat(1_001), 'x'.repeat(1_000)],
  [`${'x'.repeat(999)}👍`, 'x'.repeat(999)],
])('the stored snippet of %j is %j', (body, snippet) => {
  expect(snippetOf(Buffer.from(body), undefined)).toBe(snippet)
})

test('bytes that are not UTF-8 become replacement characters, and a compressed body is not stored', () => {
  expect(snippetOf(Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]), undefined)).toMatch(/^a\ufffd+b$/)
  expect(snippetOf(Buffer.from('ok'), 'gzip')).toBeNull()
  expect(snippetOf(Buffer.from('ok'), 'Identity')).toBe('ok')
})
