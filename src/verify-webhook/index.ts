import { createHmac, timingSafeEqual } from 'node:crypto'

/** The body of a webhook. `data.object` is the object as it was at the time of the event. */
export type WebhookEvent = {
  readonly id: string
  readonly type: string
  /** Unix seconds. */
  readonly created: number
  readonly livemode: boolean
  readonly api_version: string
  readonly data: { readonly object: Readonly<Record<string, unknown>> }
}

export type VerifyWebhookOptions = {
  /** The raw body as it arrived, as text or bytes. A parsed body cannot be verified. */
  readonly body: string | Uint8Array | ArrayBuffer
  /** The value of the `Service-Signature` header. Alternatively all headers, as a `Headers` object or a Node or Express object. */
  readonly header?: string | null | undefined
  readonly headers?: { get(name: string): string | null } | HeaderRecord
  /** The signing secret of the endpoint, `whsec_…`. Several secrets during a rotation: one of them must match. */
  readonly secret: string | readonly string[]
  /** Maximum difference between the time of the signature and this clock, in both directions. */
  readonly toleranceSeconds?: number
  readonly now?: Date
}

type HeaderRecord = { readonly [name: string]: string | readonly string[] | undefined }

/** The request is not verified: answer 400 and ignore the body. */
export class WebhookVerificationError extends Error {
  readonly code: keyof typeof sentences

  constructor(code: keyof typeof sentences) {
    super(sentences[code])
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

const sentences = {
  raw_body_needed: 'The body was already parsed. Pass the raw body, as text or bytes.',
  missing_secret: 'The signing secret is missing or empty.',
  missing_header: 'The Service-Signature header is missing.',
  malformed_header: 'The Service-Signature header does not have the form t=<seconds>,v1=<hex>.',
  no_match: 'No signature matches. The secret is wrong, or the body was changed after it was sent.',
  expired: 'The time of the signature is too far from the current time. The request is a replay, or a clock is wrong.',
  malformed_body: 'The signature is valid, but the body is not JSON.',
} as const

/**
 * Verifies the signature of a webhook and returns its event. Throws a WebhookVerificationError if it is not valid.
 *
 *     const event = verifyWebhook({ body: await request.text(), headers: request.headers, secret })
 *
 * The signature covers the bytes that were sent. A body that was parsed and serialized again can differ in spaces,
 * numbers and escapes. Read the raw body before a framework parses it: `c.req.text()` in Hono,
 * `express.raw({ type: 'application/json' })` for the route and then `req.body` in Express, `{ parse: 'text' }` in
 * Elysia.
 *
 * An event can arrive more than once: store its `id`. Requires `node:crypto` (Bun, Node, Deno).
 */
export const verifyWebhook = (options: VerifyWebhookOptions): WebhookEvent => {
  const { body, secret, toleranceSeconds = 300, now = new Date() } = options
  const bytes = bytesOf(body)
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? [])
  // An unset environment variable must not become an empty key, which everyone knows.
  if (secrets.length === 0 || secrets.some(text => typeof text !== 'string' || text.trim() === ''))
    throw new WebhookVerificationError('missing_secret')
  const { seconds, signatures } = parseHeader(headerOf(options))
  const isSigned = secrets.some(key => {
    const wanted = createHmac('sha256', key).update(`${seconds}.`).update(bytes).digest()
    return signatures.some(given => timingSafeEqual(given, wanted))
  })
  if (!isSigned) throw new WebhookVerificationError('no_match')
  // Written as a negation, so that NaN is rejected.
  if (!(Math.abs(Math.floor(now.getTime() / 1_000) - Number(seconds)) <= toleranceSeconds))
    throw new WebhookVerificationError('expired')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new WebhookVerificationError('malformed_body')
  }
}

const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new WebhookVerificationError('raw_body_needed')
}

const headerOf = ({ header, headers }: VerifyWebhookOptions): string => {
  const found = header ?? (headers && readFrom(headers))
  if (typeof found !== 'string' || found.trim() === '') throw new WebhookVerificationError('missing_header')
  return found
}

const readFrom = (headers: NonNullable<VerifyWebhookOptions['headers']>): string | null | undefined => {
  if (typeof headers.get === 'function') return headers.get('service-signature')
  const entry = Object.entries(headers).find(([name]) => name.toLowerCase() === 'service-signature')?.[1]
  return typeof entry === 'string' ? entry : Array.isArray(entry) ? entry.join(',') : undefined
}

/** `t=1700000000,v1=<hex>`, with a second v1 during a rotation of the secret. Other parts are ignored. */
const parseHeader = (header: string) => {
  const parts = header.split(',').map(part => part.trim())
  const valuesOf = (name: string) =>
    parts.filter(part => part.startsWith(`${name}=`)).map(part => part.slice(name.length + 1))
  const [seconds, ...further] = valuesOf('t')
  const given = valuesOf('v1')
  if (seconds === undefined || further.length > 0 || !/^\d{1,12}$/.test(seconds) || given.length === 0)
    throw new WebhookVerificationError('malformed_header')
  const signatures = given.filter(text => /^[0-9a-f]{64}$/i.test(text)).map(text => Buffer.from(text, 'hex'))
  return { seconds, signatures }
}
