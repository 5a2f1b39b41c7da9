import type { Invoice } from '../../machines/invoice-events.ts'
import type { Actor } from '../../src/actors/kind.ts'
import type { InvoiceFields } from '../../src/commands/invoice-content.ts'
import { createInvoice } from '../../src/commands/invoices.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId } from '../../src/ids.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { makeCustomer } from './customers.ts'

export const aLamp = { description: 'A lamp', unitAmountMinor: 4_900 }

type Wanted = Partial<InvoiceFields> & { readonly customerId?: string; readonly finalize?: boolean }

/** An invoice over 49.00, for a customer of its own by default. */
export const makeInvoice = async (
  api: Api,
  { merchantId, livemode }: ListOwner,
  { customerId, finalize = false, ...fields }: Wanted = {},
): Promise<{ readonly invoice: Actor<Invoice>; readonly id: string }> => {
  const owner = { merchantId, livemode }
  const customer = { id: customerId ?? (await makeCustomer(api, owner)).customer.id }
  const request = { owner, customer, fields: { currency: 'EUR', lines: [aLamp], ...fields }, finalize }
  const invoice = await createInvoice(api, request, { cause: 'test', responseRows: () => [] })
  return { invoice, id: encodeId('inv', invoice.id) }
}

export const sellerAddress = {
  ...{ line1: 'Ehrenstraße 12', line2: null, city: 'Köln', postalCode: '50672', state: null, country: 'DE' },
}

/** What live invoices need. */
export const setSeller = async (sql: Sql, merchantId: string, timeZone = 'UTC'): Promise<void> => {
  await sql`
    update billing_settings
    set legal_name = 'Lampen Köln GmbH', address = ${sql.json(sellerAddress)}, tax_id = 'DE123456789', time_zone = ${timeZone}
    where merchant_id = ${merchantId}`
}
