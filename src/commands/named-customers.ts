import { type Customer, type CustomerFields, type CustomerOpening, isErased } from '../../machines/customer.ts'
import type { Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import {
  customerEmailRow,
  findCustomer,
  findCustomerIdByEmail,
  findShownCustomer,
  getEventsVersion,
} from '../queries/customers.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { refuseStateOf } from './state-conflicts.ts'

/** The customer of a new record: an existing one, or the one of an e-mail address, which is created if there is none. */
export type CustomerReference = (
  | {
      readonly id: string | undefined
      readonly fields?: undefined
      /** The customer of another record: the caller has not named it, so errors name no parameter. */
      readonly isCopied?: true
    }
  | { readonly id?: undefined; readonly fields: CustomerFields }
) & {
  /** The test clock that the customer belongs to. Undefined: any, and none for a customer that is created. */
  readonly testClockId?: string | null | undefined
  /** The clock is that of a record: the caller has not named it. */
  readonly hasItsClock?: true
}

export type NamedCustomer = Pick<Actor<Customer>, 'id' | 'state'> & {
  readonly context: CustomerFields & Pick<Customer, 'testClockId'>
  /** To be sent in the bundle of the new record: creates the customer if there is none. */
  readonly commands: readonly Command[]
}

/**
 * A merged customer stands for the one that has taken its place. The command that creates a customer is refused as
 * `duplicate_customer` if another request has created it in the meantime.
 */
export const nameCustomer = async (
  services: Services,
  owner: ListOwner,
  reference: CustomerReference,
  cause: string,
): Promise<NamedCustomer> => {
  const { sql, clock, random } = services
  const id = reference.fields ? await findCustomerIdByEmail(sql, owner, reference.fields.email) : reference.id
  if (id !== undefined || !reference.fields) {
    const found = id === undefined ? undefined : await findSurvivor(services, { ...owner, id })
    const because = reference.fields ? { param: 'customer' } : reference.isCopied ? {} : { param: 'customerId' }
    if (!found) return refuse('resource_not_found', because)
    if (isErased(found.state)) refuse('customer_erased', because)
    if (reference.testClockId !== undefined && reference.testClockId !== found.context.testClockId)
      refuseStateOf(found, {
        ...(reference.hasItsClock ? because : { param: 'testClockId' }),
        message: 'The customer belongs to another test clock, or to none.',
      })
    return { ...found, commands: [] }
  }
  const { fields, testClockId = null } = reference
  const made = uuidv7(clock.now(), random)
  const create: CustomerOpening = {
    ...{ merchantId: owner.merchantId, livemode: owner.livemode, ...fields, source: 'merchant', testClockId },
    apiVersion: await getEventsVersion(sql, owner.merchantId),
  }
  const rows = [customerEmailRow(owner, made, fields.email)]
  return {
    ...{ id: made, state: 'active', context: { ...fields, testClockId } },
    commands: [{ kind: 'customer', actor: made, create, cause, rows }],
  }
}

const findSurvivor = async (
  { sql }: Pick<Services, 'sql'>,
  key: ListOwner & { readonly id: string },
): Promise<Actor<Customer> | undefined> => {
  const shown = await findShownCustomer(sql, key)
  return shown && shown.survivorId !== null ? findCustomer(sql, { ...key, id: shown.survivorId }) : shown?.customer
}
