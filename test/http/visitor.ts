import { routes } from '../../src/http/routes.ts'
import { encodeId } from '../../src/ids.ts'
import { expectDocumented } from '../harness/documented.ts'

/** A client with a cookie and an access token like a browser, and an address of its own. */
export type Visitor = {
  readonly address: string
  /** From the last response that had one. */
  bearer: string | undefined
  cookie: string | undefined
  post(path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<VisitorResponse>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<VisitorResponse>
  delete(path: string): Promise<VisitorResponse>
}

export type VisitorResponse = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Body
  readonly code: string | undefined
}

/** All fields that responses of /v1/auth can have. */
export type Body = {
  readonly accessToken?: string
  readonly user?: {
    readonly id: string
    readonly email: string
    readonly mfaEnabled: boolean
    readonly operator: boolean
  }
  readonly merchants?: readonly { readonly id: string; readonly name: string; readonly role: string }[]
  readonly secret?: string
  readonly signedIn?: boolean
  readonly otpauthUrl?: string
  readonly recoveryCodes?: readonly string[]
  readonly data?: readonly { readonly id: string; readonly current: boolean; readonly userAgent: string | null }[]
  readonly error?: { readonly code: string; readonly param?: string }
}

/** A server that trusts loopback as a proxy. */
type Server = { readonly url: string }

let visitors = 0

export const visitor = (server: Server, address = addressOf(++visitors)): Visitor => {
  const call = async (method: string, path: string, json?: unknown, headers = {}): Promise<VisitorResponse> => {
    const answer = await fetch(`${server.url}/v1/auth/${path}`, {
      method,
      headers: {
        'x-forwarded-for': address,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(self.bearer !== undefined && { authorization: `Bearer ${self.bearer}` }),
        ...(self.cookie && { cookie: self.cookie }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    const text = await answer.text()
    expectDocumented(routes, method, `/v1/auth/${path}`, { status: answer.status, headers: answer.headers, text })
    const body = (text === '' ? {} : JSON.parse(text)) as Body
    if (body.accessToken) self.bearer = body.accessToken
    const cookie = answer.headers.get('set-cookie')
    if (cookie) self.cookie = cookie.split(';')[0]
    return { status: answer.status, headers: answer.headers, text, body, code: body.error?.code }
  }
  const self: Visitor = {
    address,
    bearer: undefined,
    cookie: undefined,
    post: (path, json, headers) => call('POST', path, json, headers),
    get: (path, headers) => call('GET', path, undefined, headers),
    delete: path => call('DELETE', path),
  }
  return self
}

const addressOf = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

export const password = 'correct horse battery'

/** Signs an account up and returns its browser. */
export const signedUp = async (server: Server, email = 'anna@lamps.example'): Promise<Visitor> => {
  const someone = visitor(server)
  const { status, text } = await someone.post('sign-up', { email, password, merchantName: 'Lamps' })
  if (status !== 201) throw new Error(`the sign-up was answered ${status} ${text}`)
  return someone
}

/** Whether the text has the form of an id of that kind. */
export const hasId = (prefix: 'mer' | 'usr', id: string | undefined): boolean =>
  id !== undefined && id.length === encodeId(prefix, crypto.randomUUID()).length && id.startsWith(`${prefix}_`)
