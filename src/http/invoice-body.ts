import { type } from 'arktype'
import { isDay } from '../billing/days.ts'
import { isQuantity } from '../billing/quantity.ts'
import type { InvoiceChanges } from '../commands/invoice-content.ts'
import type { CustomerReference } from '../commands/named-customers.ts'
import { refuse } from '../errors.ts'
import { idOf } from '../fields/wire.ts'
import { decodeId } from '../ids.ts'
import { reminderOffsets } from './billing-settings.ts'
import { customerByEmail, customerFieldsOf, testClockId } from './customers.ts'
import { metadata } from './metadata.ts'
import { moment } from './moment.ts'
import { payableAsset } from './payment-links.ts'
import type { Parsed } from './route.ts'
import { boundedText, shownText } from './text.ts'

const day = () => type('string').narrow(isDay).configure({ format: 'date' })
const dayOrMoment = () => day().or(moment())

/** A line of an invoice or of a plan. */
export const soldLine = () =>
  type({
    description: shownText(1, 300),
    'quantity?': boundedText(1, 24).narrow(isQuantity),
    unitAmountMinor: '-9007199254740991 <= number.integer <= 9007199254740991',
    'taxRateBps?': '0 <= number.integer <= 10000',
    'taxCategory?': "'standard' | 'zero' | 'exempt' | 'reverse_charge' | 'export' | 'outside'",
    'taxNote?': shownText(1, 200).or('null'),
  })

const invoiceLine = () =>
  soldLine().merge({
    'periodStart?': dayOrMoment().or('null'),
    'periodEnd?': dayOrMoment().or('null'),
  })

/** The text is part of events, which have at most 20 KiB: control characters take six bytes in JSON. */
export const notes = () => shownText(1, 2_000).narrow(text => Buffer.byteLength(JSON.stringify(text)) <= 8_192)

const lines = () => invoiceLine().array().atLeastLength(1).atMostLength(100)
export const currencyCode = () => type('/^[A-Z]{3}$/')

const optional = () =>
  type({
    'customerId?': idOf('cus'),
    'customer?': customerByEmail(),
    'taxBehavior?': "'exclusive' | 'inclusive'",
    'daysUntilDue?': '0 <= number.integer <= 365 | null',
    'dueDate?': day().or('null'),
    'reference?': shownText(1, 200).or('null'),
    'orderNumber?': shownText(1, 200).or('null'),
    'notes?': notes().or('null'),
    'assets?': payableAsset().array().atLeastLength(1).atMostLength(20).or('null'),
    'reminders?': reminderOffsets().or('null'),
    'metadata?': metadata(),
  })

export const newInvoice = () =>
  optional().merge({ currency: currencyCode(), lines: lines(), 'finalize?': 'boolean', 'testClockId?': testClockId() })

export const invoiceChange = () => optional().merge({ 'currency?': currencyCode(), 'lines?': lines() })

type Sent = Parsed<typeof invoiceChange>

/** Whether the customer is named once is checked when the fields are known to be valid. */
export const customerIn = ({
  customerId,
  customer,
}: Pick<Sent, 'customerId' | 'customer'>): CustomerReference | undefined => {
  if (customerId !== undefined && customer !== undefined)
    refuse('parameter_invalid', { param: 'customer', message: 'customer and customerId exclude each other.' })
  if (customer !== undefined) return { fields: customerFieldsOf(customer) }
  return customerId === undefined ? undefined : { id: decodeId('cus', customerId) }
}

export const changesIn = ({ customerId: _, customer: __, ...changes }: Sent): InvoiceChanges => changes
