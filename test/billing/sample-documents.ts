import type { PrintedDocument, PrintedLine, PrintedParty, PrintedSeller } from '../../src/billing/document/document.ts'
import { type PricedLine, sumInvoice, type TaxBehavior } from '../../src/billing/invoice-sums.ts'
import type { Locale } from '../../src/web/text/locale.ts'

/** Documents for tests of their PDF. */

const shop: PrintedSeller = {
  ...{ legalName: 'Lampen & Leuchten Köln GmbH', taxId: 'DE123456789' },
  address: { line1: 'Ehrenstraße 12', line2: null, city: 'Köln', postalCode: '50672', state: null, country: 'DE' },
}

const usShop: PrintedSeller = {
  ...{ legalName: 'Bright Lamps, Inc.', taxId: '12-3456789' },
  address: {
    ...{
      line1: '350 Fifth Avenue',
      line2: 'Floor 21',
      city: 'New York',
      postalCode: '10118',
      state: 'NY',
      country: 'US',
    },
  },
}

const customer: PrintedParty = {
  ...{ company: 'Muster AG', name: 'Erika Mustermann', email: 'erika@muster.example', taxId: null },
  address: { line1: 'Heidestraße 17', line2: null, city: 'Berlin', postalCode: '10557', state: null, country: 'DE' },
}

const line = (
  description: string,
  unitAmountMinor: number,
  more: Partial<PrintedLine> = {},
): PrintedLine & PricedLine =>
  ({
    ...{ description, quantity: '1', unitAmountMinor, taxRateBps: 1_900, taxCategory: 'standard', amountMinor: 0 },
    ...{ taxNote: null, periodStart: null, periodEnd: null },
    ...more,
  }) as PrintedLine & PricedLine

const document = (
  lines: readonly (PrintedLine & PricedLine)[],
  { taxBehavior = 'exclusive', ...more }: Partial<PrintedDocument> & { readonly locale: Locale },
): PrintedDocument => {
  const summed = sumInvoice(lines, taxBehavior as TaxBehavior)
  if (!summed.ok) throw new Error(summed.refused)
  const { lines: amounts, ...sums } = summed.sums
  return {
    ...{ kind: 'invoice', number: 'INV-2026-0042', currency: 'EUR', taxBehavior, ...sums },
    ...{ issueDate: '2026-11-27', dueDate: '2026-12-11', seller: shop, customer },
    lines: lines.map((each, at) => ({ ...each, amountMinor: amounts[at]?.amountMinor ?? 0 })),
    ...{ reference: null, orderNumber: null, notes: null },
    ...{ creditAppliedMinor: 0, creditNotesMinor: 0, amountPaidMinor: 0, amountDueMinor: sums.totalMinor },
    ...{ isTest: false, canceledBy: null },
    ...more,
  } as PrintedDocument
}

const long =
  'Maßgefertigte Pendelleuchte mit handgeblasenem Opalglas, Messing gebürstet, Textilkabel 3 m, dimmbar von 1 bis 100 %, einschließlich Montage an Decken bis 4 m Höhe, Entsorgung der alten Leuchte und Abnahme durch eine Elektrofachkraft nach DIN VDE 0100-600 mit Protokoll in zweifacher Ausfertigung.'

const usual = [
  line('Pendelleuchte „Opal“, Messing', 24_900, { quantity: '2' }),
  line(long, 129_900),
  line('Wartung', 4_900, { quantity: '1.5', periodStart: '2026-11-01', periodEnd: '2026-11-30' }),
  line('Handbuch „Licht planen“', 2_990, { taxRateBps: 700 }),
  line('Rabatt für Stammkunden', -10_000),
]

const many = Array.from({ length: 100 }, (_, at) =>
  line(at % 9 === 4 ? long.slice(0, 120 + at) : `Spare part no. ${at + 1}, E27 socket`, 199 + at * 37, {
    ...{ quantity: String(1 + (at % 5)), taxRateBps: at % 4 === 0 ? 700 : 1_900 },
  }),
)

/** Of an invoice that was void before its document was rendered. */
const canceled = {
  ...{ canceledBy: { number: 'CN-2026-0003', issueDate: '2026-11-30' }, amountDueMinor: 0, creditNotesMinor: 213_843 },
} as const

export const sampleDocuments: Readonly<Record<string, PrintedDocument>> = {
  'invoice-de': document(usual, {
    ...{ locale: 'de', orderNumber: 'B-2026-118', reference: 'Projekt Foyer', creditAppliedMinor: 5_000 },
    ...{ amountPaidMinor: 50_000, amountDueMinor: 158_889 },
    notes: 'Vielen Dank für Ihren Auftrag.\n\nBitte prüfen Sie die Lieferung innerhalb von 14 Tagen.',
  }),
  'invoice-en': document(
    [line('Desk lamp “Nord”', 8_900, { taxRateBps: 888, quantity: '3' }), line('Shipping', 1_250, { taxRateBps: 0 })],
    {
      ...{ locale: 'en', currency: 'USD', seller: usShop },
      customer: {
        ...{ company: null, name: 'Ada Okafor', email: 'ada@example.com', taxId: null },
        address: {
          line1: '12 Elm Street',
          line2: 'Apt 4',
          city: 'Springfield',
          postalCode: '62704',
          state: 'IL',
          country: 'US',
        },
      },
    },
  ),
  inclusive: document(usual, { locale: 'en', taxBehavior: 'inclusive', amountPaidMinor: 180_040, amountDueMinor: 0 }),
  'reverse-charge': document(
    [
      line('Consulting, remote', 12_000, {
        ...{ quantity: '8.25', taxRateBps: 0, taxCategory: 'reverse_charge' },
        taxNote: 'Article 196 of Directive 2006/112/EC.',
      }),
      line('Training', 90_000, {
        taxRateBps: 0,
        taxCategory: 'exempt',
        taxNote: 'Article 132(1)(i) of Directive 2006/112/EC.',
      }),
    ],
    {
      locale: 'en',
      customer: {
        ...{ company: 'Ευρωπαϊκή Φωτισμός Α.Ε.', name: 'Γιώργος Παπαδόπουλος', email: null, taxId: 'EL123456789' },
        address: {
          line1: 'Οδός Ερμού 5',
          line2: null,
          city: 'Αθήνα',
          postalCode: '105 63',
          state: null,
          country: 'GR',
        },
      },
    },
  ),
  test: document(usual.slice(0, 2), { locale: 'en', number: 'TEST-INV-2026-0042', isTest: true }),
  'test-de': document(usual.slice(0, 2), { locale: 'de', number: 'TEST-INV-2026-0042', isTest: true }),
  void: document(usual.slice(0, 2), { locale: 'en', ...canceled }),
  'void-de': document(usual.slice(0, 2), { locale: 'de', ...canceled }),
  draft: document(usual, { locale: 'de', number: null, issueDate: null, dueDate: null }),
  'draft-en': document(usual.slice(0, 2), { locale: 'en', number: null, issueDate: null, dueDate: null }),
  'long-invoice': document(many, { locale: 'en', notes: `${'Thank you for your order. '.repeat(70)}`.trim() }),
  'credit-note': document([line('Pendelleuchte „Opal“, Messing', 24_900), line('Nachlass', 5_000)], {
    ...{ locale: 'de', kind: 'credit_note', number: 'CN-2026-0003' },
    ...{ invoice: { number: 'INV-2026-0042', issueDate: '2026-11-27' }, reason: 'product_unsatisfactory' },
    ...{ dueReducedMinor: 20_000, creditMinor: 10_000, refundsMinor: 5_581 },
  } as never),
  'credit-note-en': document([line('Lamp', 24_900)], {
    ...{ locale: 'en', kind: 'credit_note', number: 'CN-2026-0004' },
    customer: {
      ...{ company: null, name: 'Наталия Иванова', email: 'natalia@example.bg', taxId: null },
      address: { line1: 'бул. Витоша 1', line2: null, city: 'София', postalCode: '1000', state: null, country: 'BG' },
    },
    ...{ invoice: { number: 'INV-2026-0042', issueDate: '2026-11-27' }, reason: 'cancellation' },
    ...{ dueReducedMinor: 0, creditMinor: 0, refundsMinor: 29_631 },
  } as never),
}
