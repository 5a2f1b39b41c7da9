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

/** A server, and a client that sends requests for payment links with idempotency keys. */
export const idempotencyServer = async () => {
  const server = await apiServer({
    routes: paymentLinkRoutes,
    env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' },
  })
  const lamps = await shop(server.api)
  const bearer = (await insertKey(server.sql, lamps)).secret

  const send = (key: string | undefined, { json = ten, path = '/v1/payment-links', ...sent }: Sent = {}) =>
    server.call('POST', path, { bearer, ...sent, json, headers: key === undefined ? {} : { 'idempotency-key': key } })

  /** A second process on the same database; `changes` replaces parts of its API. */
  const elsewhere = async (changes: (actors: Actors) => Partial<Api> = () => ({})) => {
    const actors = await openActors(server.api, kinds)
    const second = app(paymentLinkRoutes, { ...server.api, actors, ...changes(actors) })
    return async (key: string, json: object = ten) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'idempotency-key': key }
      const request = new Request(`${server.url}/v1/payment-links`, {
        method: 'POST',
        headers,
        body: JSON.stringify(json),
      })
      const answer = await second.handle(request)
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as unknown }
    }
  }

  const linksOf = async (reference: string) =>
    (await server.sql`select from payment_links where reference = ${reference}`).length

  /** Every test file ends with an audit. */
  const close = async () => {
    const breaches = await audit(server.sql, kinds)
    await server[Symbol.asyncDispose]()
    return breaches
  }
  return { server, lamps, bearer, send, elsewhere, linksOf, databaseUrl: urlOf(server.sql), close }
}

export type IdempotencyServer = Awaited<ReturnType<typeof idempotencyServer>>
export type Sent = { readonly json?: object; readonly bearer?: string; readonly path?: string }

export const ten = { amountMinor: 1000, currency: 'USD' }
let keys = 0
export const newKey = () => `key ${++keys}`

export const isReplay = ({ headers }: Pick<Called, 'headers'>) => headers.get('idempotent-replayed') === 'true'
export const idOf = ({ json }: Pick<Called, 'json'>) => (json as { id: string }).id
