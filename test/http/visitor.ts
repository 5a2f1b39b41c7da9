import { encodeId } from '../../src/ids.ts'
import type { ApiHouse, Called } from '../harness/api.ts'

/** Somebody with a browser: it keeps the cookie and the access token, and comes from an address of its own. */
export type Visitor = {
  readonly address: string
  bearer: string | undefined
  cookie: string | undefined
  /** What the answer that signed in said. */
  post(path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Said>
  get(path: string): Promise<Said>
  delete(path: string): Promise<Said>
}

export type Said = Called & { readonly status: number; readonly code: string | undefined; readonly body: Body }

/** Whatever an answer of /v1/auth may hold. */
export type Body = {
  readonly accessToken?: string
  readonly user?: { readonly id: string; readonly email: string; readonly mfaEnabled: boolean }
  readonly merchants?: readonly { readonly id: string; readonly name: string; readonly role: string }[]
  readonly secret?: string
  readonly otpauthUrl?: string
  readonly recoveryCodes?: readonly string[]
  readonly data?: readonly { readonly id: string; readonly current: boolean; readonly userAgent: string | null }[]
  readonly error?: { readonly code: string; readonly param?: string }
}

let visitors = 0

export const visitor = (house: ApiHouse, address = addressOf(++visitors)): Visitor => {
  const call = async (method: string, path: string, json?: unknown, headers = {}): Promise<Said> => {
    const called = await house.call(method, `/v1/auth/${path}`, {
      ...(json !== undefined && { json }),
      ...(self.bearer !== undefined && { bearer: self.bearer }),
      headers: { 'x-forwarded-for': address, ...(self.cookie && { cookie: self.cookie }), ...headers },
    })
    const body = (called.json ?? {}) as Body
    if (body.accessToken) self.bearer = body.accessToken
    const cookie = called.headers.get('set-cookie')
    if (cookie) self.cookie = cookie.split(';')[0]
    return { ...called, body, code: body.error?.code }
  }
  const self: Visitor = {
    address,
    bearer: undefined,
    cookie: undefined,
    post: (path, json, headers) => call('POST', path, json, headers),
    get: path => call('GET', path),
    delete: path => call('DELETE', path),
  }
  return self
}

const addressOf = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

export const password = 'correct horse battery'

/** Signs somebody up and lets their browser go on from there. */
export const signedUp = async (house: ApiHouse, email = 'anna@lamps.example'): Promise<Visitor> => {
  const someone = visitor(house)
  const { status, text } = await someone.post('sign-up', { email, password, merchantName: 'Lamps' })
  if (status !== 201) throw new Error(`signing up answered ${status} ${text}`)
  return someone
}

/** Signing up costs a hash, which most tests have no use for. */
export const hasId = (prefix: 'mer' | 'usr', id: string | undefined): boolean =>
  id !== undefined && id.length === encodeId(prefix, crypto.randomUUID()).length && id.startsWith(`${prefix}_`)
