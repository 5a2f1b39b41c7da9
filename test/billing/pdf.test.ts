import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PrintedDocument } from '../../src/billing/document/document.ts'
import { renderPdf } from '../../src/billing/document/pdf.ts'
import { readPdf } from './pdf-text.ts'
import { sampleDocuments } from './sample-documents.ts'

const sample = (name: string): PrintedDocument => {
  const document = sampleDocuments[name]
  if (!document) throw new Error(`There is no document ${name}`)
  return document
}

const pagesOf = async (document: PrintedDocument) => readPdf(await renderPdf(document))

/** Footers are below. */
const FOOTER = 60

/** Without the spaces that depend on where lines are broken. */
const textOf = async (document: PrintedDocument): Promise<string> =>
  (await pagesOf(document))
    .flatMap(page => page.map(({ text }) => text.trim()))
    .join(' ')
    .replaceAll('\u00a0', ' ')

test('an invoice shows its parties, dates, lines, tax by rate, what was paid and what is due', async () => {
  const text = await textOf(sample('invoice-de'))
  const shown = [
    'Lampen & Leuchten Köln GmbH',
    'USt-IdNr. / Steuernummer: DE123456789',
    'Muster AG Erika Mustermann Heidestraße 17 10557 Berlin',
    'Nummer INV-2026-0042 Ausstellungsdatum 27.11.2026 Fällig am 11.12.2026',
    'Bestellnummer B-2026-118 Referenz Projekt Foyer',
    'Rechnung INV-2026-0042 1.588,89 € zu zahlen bis 11.12.2026',
    'Pendelleuchte „Opal“, Messing 2 249,00 € 19 % 498,00 €',
    'Wartung 01.11.2026 bis 30.11.2026 1,5 49,00 € 19 % 73,50 €',
    'Rabatt für Stammkunden 1 −100,00 € 19 % −100,00 €',
    'Summe netto 1.800,40 € USt. 19 % auf 1.770,50 € 336,40 € USt. 7 % auf 29,90 € 2,09 € Gesamtbetrag 2.138,89 €',
    'Aus Guthaben bezahlt −50,00 € Bezahlt −500,00 € Zu zahlen 1.588,89 €',
    'Anmerkungen Vielen Dank für Ihren Auftrag.',
    'Seite 1 von 1',
  ]
  expect(shown.filter(each => !text.includes(each))).toEqual([])
})

test('an invoice in English is written as in the country of the seller, on its paper', async () => {
  const document = sample('invoice-en')
  const text = await textOf(document)
  const shown = [
    'New York, NY 10118',
    'Springfield, IL 62704',
    'Nov 27, 2026',
    '$303.21 due by Dec 11, 2026',
    'Tax 8.88% on $267.00',
  ]
  expect(shown.filter(each => !text.includes(each))).toEqual([])
  // Both are in the same country.
  expect(text).not.toContain('United States')
  const box = async (of: PrintedDocument) =>
    /MediaBox \[([^\]]*)\]/.exec(Buffer.from(await renderPdf(of)).toString('latin1'))?.[1]
  expect(await box(document)).toBe('0 0 612 792')
  expect(await box(sample('inclusive'))).toBe('0 0 595.28 841.89')
})

test('reverse charge and exemption are named on the line, in the sums and with their notes; other alphabets are shown', async () => {
  const text = await textOf(sample('reverse-charge'))
  const shown = [
    'Ευρωπαϊκή Φωτισμός Α.Ε. Γιώργος Παπαδόπουλος Οδός Ερμού 5 105 63 Αθήνα Greece Tax ID: EL123456789',
    'Consulting, remote Reverse charge 8.25 €120.00 0% €990.00',
    'Tax 0% (Reverse charge) on €990.00 €0.00',
    'Tax 0% (Exempt) on €900.00 €0.00',
    'Reverse charge: the recipient is liable for the tax. Article 196 of Directive 2006/112/EC.',
    'Exempt from tax. Article 132(1)(i) of Directive 2006/112/EC.',
  ]
  expect(shown.filter(each => !text.includes(each))).toEqual([])
  expect(await textOf(sample('credit-note-en'))).toContain('Наталия Иванова бул. Витоша 1 1000 София Bulgaria')
})

test('inclusive prices are said to be inclusive', async () => {
  const text = await textOf(sample('inclusive'))
  for (const each of ['Amount incl. tax', 'Prices include tax.', 'Nothing is due.']) expect(text).toContain(each)
  expect(await textOf(sample('invoice-en'))).not.toContain('incl')
})

test('a draft says on each page that it is one, and has no number, date or amount due', async () => {
  const long = { ...sample('long-invoice'), number: null, issueDate: null, dueDate: null } as PrintedDocument
  for (const page of await pagesOf(long)) expect(page.filter(({ text }) => text === 'DRAFT').length).toBeGreaterThan(0)
  const text = await textOf(long)
  for (const each of ['INV-', 'Issue date', 'Due date', 'Amount due', 'due by']) expect(text).not.toContain(each)
  expect(await textOf(sample('draft'))).toContain('ENTWURF')
  expect(await textOf(sample('draft'))).toContain('DRAFT')
  expect(await textOf(sample('invoice-en'))).not.toContain('DRAFT')
})

test('a document of test mode says so on each page, and one of live mode does not', async () => {
  const long = { ...sample('long-invoice'), isTest: true }
  for (const page of await pagesOf(long)) expect(page.filter(({ text }) => text === 'TEST')).toHaveLength(1)
  const note = { ...sample('credit-note'), isTest: true }
  expect(await textOf(note)).toContain('Im Testmodus erstellt: Dies ist kein echtes Dokument')
  expect(await textOf(sample('test'))).toContain('Made in test mode: this is not a real document')
  for (const name of ['invoice-en', 'invoice-de', 'credit-note', 'void'])
    expect([name, /test/i.test(await textOf(sample(name)))]).toEqual([name, false])
})

test('an invoice that was void before its document was made names the credit note, and asks for no money', async () => {
  const text = await textOf(sample('void'))
  const shown = [
    'Void: canceled by credit note CN-2026-0003 of Nov 30, 2026. Nothing is due.',
    'Issue date Nov 27, 2026',
    'Credit notes −€2,138.43 Amount due €0.00',
  ]
  expect(shown.filter(each => !text.includes(each))).toEqual([])
  for (const each of ['due by', 'Due date', 'Pay on']) expect(text).not.toContain(each)
  expect((await pagesOf(sample('void'))).flat().filter(each => each.text === 'VOID')).toHaveLength(1)
  expect(await textOf(sample('void-de'))).toContain('Storniert durch Rechnungskorrektur CN-2026-0003 vom 30.11.2026.')
})

test('an invoice says where it is paid, without a secret, only as long as something is due', async () => {
  const sentence = 'Pay on the online page of this invoice. If you do not have its link, ask Bright Lamps, Inc.'
  expect(await textOf(sample('invoice-en'))).toContain(sentence)
  // The name ends with a period itself.
  expect(await textOf(sample('invoice-en'))).not.toContain('Inc..')
  for (const name of ['inclusive', 'draft-en', 'credit-note-en'])
    expect([name, (await textOf(sample(name))).includes('online page')]).toEqual([name, false])
})

test('a credit note names its invoice and reason, and where the money goes', async () => {
  const text = await textOf(sample('credit-note'))
  const shown = [
    'Rechnungskorrektur CN-2026-0003',
    'Zu Rechnung INV-2026-0042 vom 27.11.2026 Grund Ware nicht wie erwartet',
    'Von der Rechnung abgezogen 200,00 € Ihrem Guthaben gutgeschrieben 100,00 € Wird erstattet 55,81 €',
  ]
  expect(shown.filter(each => !text.includes(each))).toEqual([])
  expect(text).not.toContain('Zu zahlen')
})

test('an invoice with 100 lines repeats the head of the table, numbers its pages and shows each line once', async () => {
  const document = sample('long-invoice')
  const pages = await pagesOf(document)
  expect(pages.length).toBeGreaterThan(3)
  for (const [at, page] of pages.entries()) {
    const texts = page.map(({ text }) => text.trim())
    expect(texts).toContain(`Page ${at + 1} of ${pages.length}`)
    const hasLines = texts.some(text => text.startsWith('Spare part'))
    expect([at, texts.filter(text => text === 'Unit price').length]).toEqual([at, hasLines ? 1 : 0])
  }
  const all = pages.flat().map(({ text }) => text.trim())
  const short = document.lines.map(({ description }) => description).filter(text => text.startsWith('Spare'))
  expect(short.length).toBe(89)
  for (const description of short)
    expect([description, all.filter(text => text === description).length]).toEqual([description, 1])
  expect(all.filter(text => text === 'Notes')).toHaveLength(1)
  const words = pages.flatMap(page => page.filter(({ y }) => y > FOOTER).map(({ text }) => text.trim())).join(' ')
  expect(words.match(/Thank you for your order\./g)).toHaveLength(70)
})

test('nothing leaves the page, also words without spaces and the largest amounts', async () => {
  const word = 'Donaudampfschifffahrt'.repeat(14)
  const most = 9_007_199_254_740_991
  const document = sample('invoice-en')
  const lines = document.lines.map(line => ({ ...line, description: word, unitAmountMinor: most, amountMinor: most }))
  const huge = {
    ...document,
    lines,
    totalMinor: most,
    amountDueMinor: most,
    notes: 'x'.repeat(2_000),
    reference: 'r'.repeat(200),
  }
  for (const page of await pagesOf(huge as PrintedDocument))
    for (const { text, x, y } of page)
      expect({ text, isOn: x >= 50 && x < 560 && y > 20 && y < 770 }).toEqual({ text, isOn: true })
  const amounts = (await pagesOf(huge as PrintedDocument))
    .flat()
    .filter(({ text }) => text === '$90,071,992,547,409.91')
  expect(amounts.length).toBeGreaterThan(3)
  // Written smaller where the column is narrow.
  expect(Math.min(...amounts.map(({ size }) => size))).toBeLessThan(7)
})

test('the same document has the same bytes, and another one another ID', async () => {
  const [one, two] = [await renderPdf(sample('invoice-en')), await renderPdf(sample('invoice-en'))]
  expect(Buffer.from(one).equals(Buffer.from(two))).toBe(true)
  const idOf = (bytes: Uint8Array) => /\/ID \[<(\w+)>/.exec(Buffer.from(bytes).toString('latin1'))?.[1]
  expect(idOf(one)).toMatch(/^\w{32}$/)
  expect(idOf(await renderPdf({ ...sample('invoice-en'), number: 'INV-2026-0043' }))).not.toBe(idOf(one))
})

test('pdfkit is imported with the first document, not with the server', async () => {
  const sources = new Bun.Glob('{src,tasks}/**/*.{ts,tsx}')
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const importing = await Array.fromAsync(sources.scan({ cwd: root }), async file =>
    /^(?:import|export) (?!type\b)[^\n]*'pdfkit'/m.test(await readFile(join(root, file), 'utf8')) ? [file] : [],
  )
  expect(importing.length).toBeGreaterThan(500)
  expect(importing.flat()).toEqual([])
})
