import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  canonicalJson,
  documentHash,
  type HashedDocument,
  partyHash,
  sellerHash,
} from '../../src/billing/document-hash.ts'

test('RFC 8785, section 3.2.2: numbers, strings and literals', () => {
  const text = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`
  const [before, after] = [
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"',
    String.raw`$\u000f\nA'B\"\\\\\"/"}`,
  ]
  expect(canonicalJson(JSON.parse(text))).toBe(`${before}€${after}`)
})

test('RFC 8785, section 3.2.3: names are sorted by their UTF-16 units', () => {
  const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6']
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']
  expect(canonicalJson(Object.fromEntries(names.map(name => [name, 0])))).toBe(
    `{${sorted.map(name => `${JSON.stringify(name)}:0`).join(',')}}`,
  )
})

// Appendix B: the bits of a number and its text.
test.each([
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
])('RFC 8785, appendix B: %s is %s', (bits, text) => {
  const number = new DataView(Uint8Array.from(Buffer.from(bits, 'hex')).buffer).getFloat64(0)
  expect(canonicalJson([number])).toBe(`[${text}]`)
})

test('what has no canonical JSON is refused', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 1n])
    expect(() => canonicalJson([value])).toThrow()
})

const invoice = (number: string, more: Partial<HashedDocument> = {}): HashedDocument => ({
  ...{ number, kind: 'invoice', currency: 'EUR', issueDate: '2026-11-27', dueDate: '2026-12-11' },
  lines: [
    { id: 'l1', description: 'Łampa „Köln“ 😀 "x" \\ \n', quantity: '1.5', unitAmountMinor: 4900, amountMinor: 7350 },
    { id: 'l2', description: 'Ντεμοντέ', quantity: '1', unitAmountMinor: -50, amountMinor: -50, taxNote: null },
  ],
  taxes: [{ taxCategory: 'standard', taxRateBps: 1900, netMinor: 7300, taxMinor: 1387 }],
  ...{ subtotalMinor: 7300, taxMinor: 1387, totalMinor: 8687 },
  ...{ sellerHash: sellerHash(seller), partyHash: partyHash(salt, party) },
  ...more,
})

const seller = { legalName: 'Lampen GmbH', address: { line1: 'Ring 1', line2: null, city: 'Köln' }, taxId: 'DE123' }
const party = { name: 'Ewa Łęcka', company: null, email: 'ewa@example.pl', address: { country: 'PL', line1: 'ul. 1' } }
const salt = Uint8Array.from(Array(16).keys())

/** Written by the rules of the RFC for the values that a document has. */
const canonical = (value: unknown): string => {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return `${value}`
  if (typeof value === 'string') {
    const escapes: Record<string, string> = {
      '"': '\\"',
      '\\': '\\\\',
      '\b': '\\b',
      '\f': '\\f',
      '\n': '\\n',
      '\r': '\\r',
      '\t': '\\t',
    }
    const escaped = [...value].map(each => {
      const code = each.codePointAt(0) ?? 0
      return escapes[each] ?? (code < 32 ? `\\u${code.toString(16).padStart(4, '0')}` : each)
    })
    return `"${escaped.join('')}"`
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.entries(value as object)
  const units = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  entries.sort(([a], [b]) => {
    const [left, right] = [units(a), units(b)]
    const at = left.findIndex((unit, index) => unit !== right[index])
    return at < 0 ? -1 : (left[at] ?? 0) - (right[at] ?? -1)
  })
  return `{${entries.map(([name, each]) => `${canonical(name)}:${canonical(each)}`).join(',')}}`
}

const hex = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(typeof part === 'string' ? Buffer.from(part, 'utf8') : part)
  return hash.digest('hex')
}

test('a chain of documents has the hashes of an independent computation', () => {
  let previous: string | null = null
  const hashes: string[] = []
  for (const number of ['INV-2026-0001', 'INV-2026-0002', 'INV-2026-0003']) {
    const document = invoice(number)
    const content = {
      ...{ number, kind: 'invoice', currency: 'EUR', lines: document.lines, taxes: document.taxes },
      ...{ subtotalMinor: 7300, taxMinor: 1387, totalMinor: 8687, issueDate: '2026-11-27', dueDate: '2026-12-11' },
      ...{ sellerHash: hex(canonical(seller)), partyHash: hex(salt, canonical(party)) },
    }
    const expected = hex(`${previous ?? ''}.${hex(canonical(content))}`)
    previous = documentHash(previous, document)
    expect(previous).toBe(expected)
    hashes.push(previous)
  }
  expect(new Set(hashes).size).toBe(3)
  expect(hashes[0]).toBe(FIRST)
})

/** Changes only if documents that exist could no longer be verified. */
const FIRST = '3d1e1f209f503f16b41e974d03910705d7925ae63acebb91f4f9e84a09f8f689'

test('a change of any hashed field changes the hash, and one of another field does not', () => {
  const before = documentHash(null, invoice('INV-1'))
  const changes: Partial<HashedDocument>[] = [
    ...[{ number: 'INV-2' }, { kind: 'credit_note' as const }, { currency: 'USD' }, { lines: [] }, { taxes: [] }],
    ...[{ subtotalMinor: 1 }, { taxMinor: 1 }, { totalMinor: 1 }, { issueDate: '2026-11-28' }, { dueDate: null }],
    ...[{ sellerHash: '' }, { partyHash: '' }],
  ]
  const hashes = changes.map(change => documentHash(null, invoice('INV-1', change)))
  expect(new Set([before, ...hashes, documentHash(before, invoice('INV-1'))]).size).toBe(changes.length + 2)
  expect(documentHash(null, { ...invoice('INV-1'), notes: 'x' } as HashedDocument)).toBe(before)
})

test('the order of fields does not matter, and the salt does', () => {
  const reversed = Object.fromEntries(Object.entries(invoice('INV-1')).reverse()) as HashedDocument
  expect(documentHash(null, reversed)).toBe(documentHash(null, invoice('INV-1')))
  expect(partyHash(new Uint8Array(16), party)).not.toBe(partyHash(salt, party))
})
