import { afterAll, expect } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, type ApiServerOptions, apiServer, type Called } from '../harness/api.ts'
import { type Shop, shop } from './people.ts'

/** A server with two merchants; neither may see the objects of the other. */
export type TwoShops = {
  readonly server: ApiServer
  readonly lamps: Shop
  readonly chairs: Shop
  /** API keys of `lamps` in test mode and in live mode, and of `chairs`. */
  readonly key: string
  readonly liveKey: string
  readonly chairsKey: string
  /** With the test key of `lamps` and below /v1 by default. */
  ask(method: string, path: string, asked?: Asked): Promise<Answer>
  /** The same for a list. */
  page<Item>(path: string, asked?: Asked): Promise<Answer & Page<Item>>
}

export type Asked = {
  readonly json?: object | undefined
  readonly bearer?: string
  /** `/v1/merchants/…` for requests of members. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Answer = Called & {
  readonly error: { readonly code: string; readonly param?: string; readonly details?: object } | undefined
}

export type Page<Item> = { readonly object: string; readonly data: readonly Item[]; readonly has_more: boolean }

/** For all tests of a file. After them the ledger is audited. */
export const twoShops = async (options: ApiServerOptions): Promise<TwoShops> => {
  const server = await apiServer({ env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' }, ...options })
  afterAll(async () => {
    expect(await audit(server.sql, kinds)).toEqual([])
    await server[Symbol.asyncDispose]()
  })
  const lamps = await shop(server.api)
  const chairs = await shop(server.api, 'Chairs')
  const key = (await insertKey(server.sql, lamps)).secret

  const ask = async (method: string, path: string, { path: at = '/v1', bearer = key, ...asked }: Asked = {}) => {
    const answer = await server.call(method, `${at}${path}`, { bearer, ...asked })
    return { ...answer, error: (answer.json as Partial<Answer> | undefined)?.error }
  }
  return {
    ...{ server, lamps, chairs, key, ask },
    liveKey: (await insertKey(server.sql, { ...lamps, livemode: true })).secret,
    chairsKey: (await insertKey(server.sql, chairs)).secret,
    page: async <Item>(path: string, asked?: Asked) => {
      const answer = await ask('GET', path, asked)
      return { ...answer, ...(answer.json as Page<Item>) }
    },
  }
}

export const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })
