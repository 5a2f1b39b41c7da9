import { afterAll, expect } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, type ApiServerOptions, apiServer, type Called } from '../harness/api.ts'
import { type Shop, shop } from './people.ts'

/** A server with two merchants in it, of whom neither may see what is the other's. */
export type TwoShops = {
  readonly to: ApiServer
  readonly lamps: Shop
  readonly chairs: Shop
  /** Of the lamps in test mode, in live mode, and of the chairs. */
  readonly key: string
  readonly liveKey: string
  readonly chairsKey: string
  /** By the key of the lamps in test mode and below /v1, unless told otherwise. */
  ask(method: string, path: string, asked?: Asked): Promise<Answer>
  /** A list, read so. */
  page<Item>(path: string, asked?: Asked): Promise<Answer & Page<Item>>
}

export type Asked = {
  readonly json?: object | undefined
  readonly bearer?: string
  /** `/v1/merchants/…` for what members ask. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Answer = Called & {
  readonly error: { readonly code: string; readonly param?: string; readonly details?: object } | undefined
}

export type Page<Item> = { readonly object: string; readonly data: readonly Item[]; readonly has_more: boolean }

/** For all tests of a file: once they have run, the books are audited. */
export const twoShops = async (options: ApiServerOptions): Promise<TwoShops> => {
  const to = await apiServer({ env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' }, ...options })
  afterAll(async () => {
    expect(await audit(to.sql, kinds)).toEqual([])
    await to[Symbol.asyncDispose]()
  })
  const lamps = await shop(to.api)
  const chairs = await shop(to.api, 'Chairs')
  const key = (await insertKey(to.sql, lamps)).secret

  const ask = async (method: string, path: string, { path: at = '/v1', bearer = key, ...asked }: Asked = {}) => {
    const answer = await to.call(method, `${at}${path}`, { bearer, ...asked })
    return { ...answer, error: (answer.json as Partial<Answer> | undefined)?.error }
  }
  return {
    ...{ to, lamps, chairs, key, ask },
    liveKey: (await insertKey(to.sql, { ...lamps, livemode: true })).secret,
    chairsKey: (await insertKey(to.sql, chairs)).secret,
    page: async <Item>(path: string, asked?: Asked) => {
      const answer = await ask('GET', path, asked)
      return { ...answer, ...(answer.json as Page<Item>) }
    },
  }
}

export const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })
