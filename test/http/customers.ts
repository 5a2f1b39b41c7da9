import type { CustomerFields, CustomerOpening } from '../../machines/customer.ts'
import { createCustomer } from '../../src/commands/customers.ts'
import type { Api } from '../../src/http/api.ts'
import { encodeId } from '../../src/ids.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { customerOpening } from '../machines/customer-cases.ts'

/** A customer, with an unused e-mail address by default. */
export const makeCustomer = async (
  api: Api,
  { merchantId, livemode }: ListOwner,
  fields: Partial<CustomerFields & Pick<CustomerOpening, 'testClockId'>> = {},
) => {
  const { apiVersion: _, ...opening } = customerOpening
  const request = { ...opening, merchantId, livemode, email: `${crypto.randomUUID()}@example.com`, ...fields }
  const customer = await createCustomer(api, request, { cause: 'test', responseRows: () => [] })
  return { customer, id: encodeId('cus', customer.id) }
}
