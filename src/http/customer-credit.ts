import { type } from 'arktype'
import type { Customer } from '../../machines/customer.ts'
import { adjustCredit } from '../commands/customer-credit.ts'
import { eraseCustomer } from '../commands/customer-erasures.ts'
import { mergeCustomer } from '../commands/customer-merges.ts'
import { refuse } from '../errors.ts'
import { idOf, signedMinor } from '../fields/wire.ts'
import { decodeId, encodeId, uuidv7 } from '../ids.ts'
import { findCreditEntrySeq, getCreditEntry, listCreditEntries } from '../queries/credit-entries.ts'
import { findCustomer, findShownCustomer, type ShownCustomer } from '../queries/customers.ts'
import { creditEntryRecord } from '../records/credit-entry.ts'
import type { Api } from './api.ts'
import { shownCustomer } from './customers.ts'
import { adjustCreditDocs, eraseCustomerDocs, listCreditDocs, mergeCustomerDocs } from './docs/customers.ts'
import { answerIdempotently, type IdempotentCall } from './idempotency.ts'
import { listOf, listQuery, pageOf } from './list.ts'
import { recordKey } from './record-id.ts'
import { forMembers, type MemberCaller, type Route } from './route.ts'
import { onItem } from './surfaces.ts'
import { shownText } from './text.ts'

const creditPath = '/v1/merchants/:merchantId/customers/:id/credit'

const adjustment = () =>
  type({
    currency: '/^[A-Z]{3}$/',
    amountMinor: signedMinor().narrow(amount => amount !== 0),
    note: shownText(1, 1000),
  })

export const customerCreditRoutes: readonly Route[] = [
  ...onItem(
    'GET',
    { scope: 'billing:read' },
    {
      path: '/customers/:id/credit',
      docs: listCreditDocs,
      query: listQuery,
      handle: async ({ sql }, call) => {
        const { query } = call
        const { id } = (await findCustomer(sql, recordKey('cus', call))) ?? refuse('resource_not_found')
        const decode = (text: string) => decodeId('ce', text)
        const page = await pageOf(query, decode, entry => findCreditEntrySeq(sql, id, entry))
        const entries = await listCreditEntries(sql, id, page)
        return { status: 200, body: listOf(entries, query.limit, creditEntryRecord.render) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'owner' },
    {
      path: creditPath,
      docs: adjustCreditDocs,
      body: adjustment,
      handle: async (api, call) => {
        const customer = await findShownCustomer(api.sql, keyOf(call))
        const id = uuidv7(api.clock.now(), api.random)
        return answerIdempotently<Customer>(api, keyedBy(call, customer), {
          work: responseRows => {
            const { currency, amountMinor, note } = call.body
            if (!customer) return refuse('resource_not_found')
            if (!currencies.includes(currency)) refuse('unsupported_currency', { param: 'currency' })
            const adjustment = { id, currency, amountMinor, note }
            return adjustCredit(api, customer, adjustment, { cause: causeOf(call), responseRows })
          },
          answer: ({ id: customerId }) => ({ status: 201, body: { customerId, currency: call.body.currency, id } }),
          reveal: stored => shownEntry(api, stored),
        })
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'owner' },
    {
      path: '/v1/merchants/:merchantId/customers/:id/merge',
      docs: mergeCustomerDocs,
      body: () => type({ intoId: idOf('cus') }),
      handle: async (api, call) => {
        const into = await mergeCustomer(api, keyOf(call), decodeId('cus', call.body.intoId), causeOf(call))
        return { status: 200, body: shownCustomer(into) }
      },
    },
  ),

  forMembers(
    'POST',
    { role: 'owner', stepUp: true },
    {
      path: '/v1/merchants/:merchantId/customers/:id/erase',
      docs: eraseCustomerDocs,
      handle: async (api, call) => {
        const erased = await eraseCustomer(api, keyOf(call), call.session.accountId)
        return { status: 200, body: shownCustomer(erased) }
      },
    },
  ),
]

const currencies: readonly string[] = ['USD', 'EUR']

/** A request about one customer has no mode: the mode of the customer is used, or test mode if there is no customer. */
const keyedBy = (
  call: Omit<IdempotentCall, 'owner' | 'pattern'> & ItemCall,
  found: ShownCustomer | undefined,
): IdempotentCall => ({
  ...{ headers: call.headers, params: call.params, body: call.body, pattern: creditPath },
  owner: { merchantId: call.member.merchantId, livemode: found ? found.customer.context.livemode : false },
})

/** The stored response is the key of the entry, because its balance is only known when it is committed. Entries never change. */
const shownEntry = async ({ sql }: Pick<Api, 'sql'>, stored: string): Promise<string> =>
  JSON.stringify(creditEntryRecord.render(await getCreditEntry(sql, JSON.parse(stored))))

type ItemCall = {
  readonly params: { readonly id: string }
  readonly member: MemberCaller
  readonly session: { readonly accountId: string }
}

/** Members find a customer by its ID in either mode. */
const keyOf = ({ params, member }: ItemCall) =>
  recordKey('cus', { params, owner: { merchantId: member.merchantId, livemode: undefined } })

const causeOf = ({ session }: ItemCall) => encodeId('usr', session.accountId)
