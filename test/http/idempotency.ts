import { type Actors, openActors } from '../../src/actors/actors.ts'
import { audit } from '../../src/audit/audit.ts'
import type { Api } from '../../src/http/api.ts'
import { app } from '../../src/http/app.ts'
import { paymentLinkRoutes } from '../../src/http/payment-links.ts'
import { kinds } from '../../src/kinds/all.ts'
import { urlOf } from '../access/elsewhere.ts'
import { insertKey } from '../access/keys.ts'
import { apiServer, type Called } from '../harness/api.ts'
import { shop } from './people.ts'

/** A instance and a shop that sends its requests for payment links under idempotency keys. */
export const idempotencyServer = async () => {
  const to = await apiServer({ routes: paymentLinkRoutes, env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' } })
  const lamps = await shop(to.api)
  const bearer = (await insertKey(to.sql, lamps)).secret

  const send = (key: string | undefined, { json = ten, path = '/v1/payment-links', ...sent }: Sent = {}) =>
    to.call('POST', path, { bearer, ...sent, json, headers: key === undefined ? {} : { 'idempotency-key': key } })

  /** Another process before the same database: what it is given of its own is given as `changes`. */
  const elsewhere = async (changes: (actors: Actors) => Partial<Api> = () => ({})) => {
    const actors = await openActors(to.api, kinds)
    const server = app(paymentLinkRoutes, { ...to.api, actors, ...changes(actors) })
    return async (key: string, json: object = ten) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'idempotency-key': key }
      const request = new Request(`${to.url}/v1/payment-links`, { method: 'POST', headers, body: JSON.stringify(json) })
      const answer = await server.handle(request)
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as unknown }
    }
  }

  const linksOf = async (reference: string) =>
    (await to.sql`select from payment_links where reference = ${reference}`).length

  /** Every test of it ends with an audit. */
  const close = async () => {
    const breaches = await audit(to.sql, kinds)
    await to[Symbol.asyncDispose]()
    return breaches
  }
  return { to, lamps, bearer, send, elsewhere, linksOf, databaseUrl: urlOf(to.sql), close }
}

export type IdempotencyServer = Awaited<ReturnType<typeof idempotencyServer>>
export type Sent = { readonly json?: object; readonly bearer?: string; readonly path?: string }

export const ten = { amountMinor: 1000, currency: 'USD' }
let keys = 0
export const newKey = () => `key ${++keys}`

export const isReplay = ({ headers }: Pick<Called, 'headers'>) => headers.get('idempotent-replayed') === 'true'
export const idOf = ({ json }: Pick<Called, 'json'>) => (json as { id: string }).id
