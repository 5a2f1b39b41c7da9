import type { Customer, CustomerFields, CustomerOpening } from '../../machines/customer.ts'
import type { Refused } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { emailKey, isErasedEmail } from '../email-key.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { customerKind } from '../kinds/customer.ts'
import { ofKind } from '../queries/actors.ts'
import {
  customerEmailRow,
  findCustomerIdByEmail,
  findCustomerIdByReference,
  findShownCustomer,
  getEventsVersion,
  type ShownCustomer,
} from '../queries/customers.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { type Requester, refuseTwin } from './by.ts'
import { refuseState } from './state-conflicts.ts'

export const createCustomer = async (
  services: Services,
  request: Omit<CustomerOpening, 'apiVersion'>,
  { cause, responseRows }: Requester<Customer>,
): Promise<Actor<Customer>> => {
  if (isErasedEmail(request.email)) refuse('customer_erased', { param: 'email' })
  const id = uuidv7(services.clock.now(), services.random)
  const outcome = await services.actors.dispatch({
    kind: 'customer',
    actor: id,
    create: { ...request, apiVersion: await getEventsVersion(services.sql, request.merchantId) },
    cause,
    rows: ([customer]) => [
      customerEmailRow(request, id, request.email),
      ...responseRows(ofKind(customerKind, customer)),
    ],
  })
  return outcome.ok ? ofKind(customerKind, outcome.actor) : refuseFields(services, request, request, outcome)
}

/** Changes fields. A changed e-mail address turns the old one into an alias. */
export const changeCustomer = async (
  services: Services,
  key: RecordKey,
  changes: Partial<CustomerFields>,
  cause: string,
): Promise<ShownCustomer> => {
  const { customer, aliases } = (await findShownCustomer(services.sql, key)) ?? refuse('resource_not_found')
  const { email } = changes
  if (email !== undefined && isErasedEmail(email)) refuse('customer_erased', { param: 'email' })
  const known = [customer.context.email, ...aliases].map(emailKey)
  const rows =
    email === undefined || known.includes(emailKey(email))
      ? []
      : [customerEmailRow(customer.context, customer.id, email)]
  const event = { type: 'update', changes }
  const outcome = await services.actors.dispatch({ kind: 'customer', actor: customer.id, event, cause, rows })
  if (!outcome.ok) return refuseFields(services, customer.context, changes, outcome)
  return (await findShownCustomer(services.sql, key)) ?? refuse('resource_not_found')
}

const refuseFields = async (
  { sql }: Services,
  owner: ListOwner,
  { email, reference }: Partial<CustomerFields>,
  refused: Refused,
): Promise<never> => {
  refuseTwin(refused)
  const details = (id: string | undefined) => id !== undefined && { details: { customerId: encodeId('cus', id) } }
  if (refused.refusal === 'duplicate_customer' && email !== undefined)
    return refuse('duplicate_customer', {
      param: 'email',
      ...details(await findCustomerIdByEmail(sql, owner, email)),
    })
  if (refused.refusal === 'duplicate_reference' && reference)
    return refuse('duplicate_reference', {
      param: 'reference',
      ...details(await findCustomerIdByReference(sql, owner, reference)),
    })
  return refuseState(refused)
}
