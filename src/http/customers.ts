import { type } from 'arktype'
import type { Customer, CustomerFields } from '../../machines/customer.ts'
import { isEmail } from '../access/email.ts'
import { changeCustomer, createCustomer } from '../commands/customers.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { type CustomerFilter, listCustomers } from '../queries/customer-lists.ts'
import { findShownCustomer, type ShownCustomer } from '../queries/customers.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { findTestClock } from '../queries/test-clocks.ts'
import { customerReadRecord, noAdditions } from '../records/customer.ts'
import type { Api } from './api.ts'
import { createCustomerDocs, getCustomerDocs, listCustomersDocs, updateCustomerDocs } from './docs/customers.ts'
import { answerIdempotently } from './idempotency.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { metadata } from './metadata.ts'
import { recordKey } from './record-id.ts'
import type { Parsed, Route } from './route.ts'
import { onCollection, onItem } from './surfaces.ts'
import { boundedText, shownText } from './text.ts'

/** Surrounding spaces are allowed and are not part of it. */
const email = () => boundedText(3, 254).narrow(text => isEmail(text.trim()))

const name = () => shownText(1, 200)

const address = () =>
  type({
    line1: name(),
    'line2?': name().or('null'),
    city: name(),
    postalCode: name(),
    'state?': name().or('null'),
    country: '/^[A-Z]{2}$/',
  })

const fields = () =>
  type({
    'name?': name().or('null'),
    'company?': name().or('null'),
    'taxId?': name().or('null'),
    'address?': address().or('null'),
    'locale?': type('/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/').or('null'),
    'reference?': name().or('null'),
    'metadata?': metadata(),
  })

/** A customer that is found by its e-mail address, or created with these fields. */
export const customerByEmail = () => fields().merge({ email: email() })

/** A text that is no ID is that of a missing clock. */
export const testClockId = () => type('/^clk_[0-9a-z]{1,64}$/ | null')

const newCustomer = () => fields().merge({ email: email(), 'testClockId?': testClockId() })
const changes = () => fields().merge({ 'email?': email() })

/** Exports have the filters of the list too. */
export const customerFilters = () =>
  type({ 'email?': boundedText(1, 254), 'reference?': boundedText(1, 200), 'q?': boundedText(1, 200) })

const reads = { scope: 'billing:read' } as const
const writes = { scope: 'billing:write' } as const

export const customerRoutes: readonly Route[] = [
  ...onCollection('POST', writes, {
    path: '/customers',
    docs: createCustomerDocs,
    body: newCustomer,
    handle: (api, call) =>
      answerIdempotently<Customer>(api, call, {
        work: async responseRows => {
          const { testClockId: sent, ...body } = call.body
          const opening = { ...openingOf(call.owner, body), testClockId: await findClockId(api, call.owner, sent) }
          return createCustomer(api, opening, { cause: call.cause, responseRows })
        },
        answer: customer => ({ status: 201, body: customerReadRecord.render(customer, noAdditions) }),
      }),
  }),

  ...onCollection('GET', reads, {
    path: '/customers',
    docs: listCustomersDocs,
    query: () => listQuery().merge(customerFilters()),
    handle: async ({ sql }, { owner, query }) => {
      const page = await placedPage(sql, 'customer', owner, query)
      const customers = await listCustomers(sql, owner, customerFilterOf(query), page)
      return { status: 200, body: listOf(customers, query.limit, shownCustomer) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/customers/:id',
    docs: getCustomerDocs,
    handle: async ({ sql }, call) => {
      const found = await findShownCustomer(sql, recordKey('cus', call))
      return { status: 200, body: shownCustomer(found ?? refuse('resource_not_found')) }
    },
  }),

  ...onItem('PATCH', writes, {
    path: '/customers/:id',
    docs: updateCustomerDocs,
    body: changes,
    handle: async (api, call) => {
      const changed = await changeCustomer(api, recordKey('cus', call), fieldsIn(call.body), call.cause)
      return { status: 200, body: shownCustomer(changed) }
    },
  }),
]

export const customerFilterOf = ({ email, reference, q }: Parsed<typeof customerFilters>): CustomerFilter => ({
  email,
  reference,
  search: q,
})

export const shownCustomer = ({ customer, ...additions }: ShownCustomer) =>
  customerReadRecord.render(customer, additions)

const emptyFields = {
  ...{ name: null, company: null, taxId: null, address: null, locale: null, reference: null },
  metadata: {},
}

const openingOf = ({ merchantId, livemode }: ListOwner, body: Parsed<typeof customerByEmail>) => ({
  ...{ merchantId, livemode, source: 'merchant' as const },
  ...customerFieldsOf(body),
})

export const customerFieldsOf = (body: Parsed<typeof customerByEmail>): CustomerFields => ({
  ...emptyFields,
  ...fieldsIn(body),
  email: asEntered(body.email),
})

/** Only a clock that is there can get customers. */
export const findClockId = async (
  { sql }: Pick<Api, 'sql'>,
  owner: ListOwner,
  sent: string | null | undefined,
): Promise<string | null> => {
  if (sent == null) return null
  const id = decodeId('clk', sent)
  const found = id === undefined ? undefined : await findTestClock(sql, { ...owner, id })
  return found?.id ?? refuse('resource_not_found', { param: 'testClockId' })
}

const asEntered = (email: string): string => email.trim().normalize('NFC')

/** The fields that were sent. */
const fieldsIn = ({ address, email, ...others }: Parsed<typeof changes>): Partial<CustomerFields> => ({
  ...others,
  ...(email !== undefined && { email: asEntered(email) }),
  ...(address !== undefined && {
    address: address && {
      line1: address.line1,
      line2: address.line2 ?? null,
      city: address.city,
      postalCode: address.postalCode,
      state: address.state ?? null,
      country: address.country,
    },
  }),
})
