import { type Type, type } from 'arktype'
import { constantField, idField } from '../fields/every-record.ts'
import { example } from '../fields/examples.ts'
import { postalAddress } from '../fields/postal-address.ts'
import { recordOf } from '../fields/record.ts'
import { count, flag, text, textOrNull, time } from '../fields/wire.ts'
import type { ShownBillingSettings } from '../queries/billing-settings.ts'

/** The settings of a merchant for invoices and credit notes, which are the same for both modes. */
export const billingSettingsRecord = recordOf<ShownBillingSettings>()('BillingSettings', {
  object: constantField('billing_settings'),
  id: {
    ...idField('merchant', ({ settings }: ShownBillingSettings) => settings.merchant_id),
    about: 'ID of the merchant.',
  },
  merchantId: idField('merchant', ({ settings }: ShownBillingSettings) => settings.merchant_id),
  legalName: {
    type: textOrNull,
    about: 'Your name as the seller on documents. Null if not set.',
    example: 'Lamps Ltd',
    of: ({ settings }) => settings.legal_name,
  },
  address: {
    inside: postalAddress.inside,
    type: () => postalAddress.type().or('null'),
    about: 'Your postal address on documents. Null if not set.',
    example: postalAddress.example,
    of: ({ settings }) => (settings.address === null ? null : postalAddress.render(settings.address)),
  },
  taxId: {
    type: textOrNull,
    about: 'Your tax identification number. It is not checked. Null if not set.',
    example: 'GB999999973',
    of: ({ settings }) => settings.tax_id,
  },
  timeZone: {
    type: text,
    about: 'Time zone of issue dates and due dates, by its name in the IANA database. Default: `UTC`.',
    example: 'Europe/London',
    of: ({ settings }) => settings.time_zone,
  },
  invoicePrefix: {
    type: text,
    about: 'What `{prefix}` stands for in numbers of invoices. Default: `INV`.',
    example: 'INV',
    of: ({ settings }) => settings.invoice_prefix,
  },
  creditNotePrefix: {
    type: text,
    about: 'What `{prefix}` stands for in numbers of credit notes. Default: `CN`.',
    example: 'CN',
    of: ({ settings }) => settings.credit_note_prefix,
  },
  numberPattern: {
    type: text,
    about:
      'Pattern of numbers, with `{number}` once, or `{number:4}` for at least 4 digits, and `{prefix}` and `{year}`. In test mode numbers begin with `TEST-`.',
    example: '{prefix}-{year}-{number:4}',
    of: ({ settings }) => settings.number_pattern,
  },
  restart: {
    type: (): Type<'yearly' | 'never'> => type("'yearly' | 'never'"),
    about: '`yearly`: numbers begin with 1 in every year of issue dates. `never`: they do not restart.',
    example: 'yearly',
    of: ({ settings }) => settings.restart,
  },
  nextNumber: {
    type: count,
    about:
      'Number of the next invoice of this mode in the current year, or in the only series if numbers never restart.',
    example: 1,
    of: ({ nextNumber }) => nextNumber,
  },
  nextCreditNoteNumber: {
    type: count,
    about: 'Number of the next credit note, as for `nextNumber`. It cannot be set.',
    example: 1,
    of: ({ nextCreditNoteNumber }) => nextCreditNoteNumber,
  },
  daysUntilDue: {
    type: count,
    about: 'Days from the issue date to the due date of invoices without their own. Default: 14.',
    example: 14,
    of: ({ settings }) => settings.days_until_due,
  },
  taxRateBps: {
    type: count,
    about: 'Tax rate of lines without their own, in hundredths of a percent: 1900 is 19 %. Default: 0.',
    example: 1900,
    of: ({ settings }) => settings.tax_rate_bps,
  },
  taxBehavior: {
    type: (): Type<'exclusive' | 'inclusive'> => type("'exclusive' | 'inclusive'"),
    about: 'Whether unit amounts contain the tax (`inclusive`) or not (`exclusive`), for invoices without their own.',
    example: 'exclusive',
    of: ({ settings }) => settings.tax_behavior,
  },
  reminders: {
    type: (): Type<number[]> => type('number.integer[]'),
    about: 'When reminders are sent, in days from the due date, for invoices without their own.',
    example: [-3, 0, 7, 14],
    of: ({ settings }) => [...settings.reminders],
  },
  notes: {
    type: textOrNull,
    about: 'Text at the end of documents of invoices without their own. Null if not set.',
    example: null,
    of: ({ settings }) => settings.notes,
  },
  retentionYears: {
    type: count,
    about:
      'For how many years after the end of the year of its issue date the parties of a document are kept. Default: 10.',
    example: 10,
    of: ({ settings }) => settings.retention_years,
  },
  livemode: {
    type: flag,
    about: 'Mode that `nextNumber` and `nextCreditNoteNumber` are about. All other settings apply to both modes.',
    example: false,
    of: ({ livemode }) => livemode,
  },
  createdAt: { type: time, example: example.at, of: ({ settings }) => settings.created_at.toISOString() },
  updatedAt: { type: time, example: example.at, of: ({ settings }) => settings.updated_at.toISOString() },
})
