import { createHmac, timingSafeEqual } from 'node:crypto'

/** The body of a webhook. `data.object` is the record as it was at the moment of the event. */
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
  /** The body as it arrived: the text or the bytes, and nothing that was parsed. */
  readonly body: string | Uint8Array | ArrayBuffer
  /** What the `Service-Signature` header says; or all headers, as a `Headers` or as Node and Express have them. */
  readonly header?: string | null | undefined
  readonly headers?: { get(name: string): string | null } | HeaderRecord
  /** The signing secret of the endpoint, `whsec_…`. Several while one replaces another: any of them will do. */
  readonly secret: string | readonly string[]
  /** How far the time of the signature may be from this clock, both ways. */
  readonly toleranceSeconds?: number
  readonly now?: Date
}

type HeaderRecord = { readonly [name: string]: string | readonly string[] | undefined }

/** Answer 400 to these, and do nothing of what the body says. */
export class WebhookVerificationError extends Error {
  readonly code: keyof typeof sentences

  constructor(code: keyof typeof sentences) {
    super(sentences[code])
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

const sentences = {
  raw_body_needed: 'The body was parsed already: hand over the text or the bytes as they arrived.',
  missing_secret: 'There is no signing secret to verify with.',
  missing_header: 'There is no Service-Signature header.',
  malformed_header: 'The Service-Signature header is not of the form t=<seconds>,v1=<hex>.',
  no_match: 'No signature matches: another secret, or a body that is not as it was sent.',
  expired: 'The signature is too old, or from the future: a replay, or a clock that is wrong.',
  malformed_body: 'The body is signed, and not JSON.',
} as const

/**
 * The event in a webhook's body, once its signature holds; throws a WebhookVerificationError when it does not.
 *
 *     const event = verifyWebhook({ body: await request.text(), headers: request.headers, secret })
 *
 * The signature is of the bytes that were sent. A body that a framework has parsed and that is turned into text
 * again is another text: other spaces, other numbers, other escapes. Take it before anything parses it: `c.req.text()`
 * in Hono, `express.raw({ type: 'application/json' })` for the route and then `req.body` in Express, `{ parse: 'text' }`
 * in Elysia.
 *
 * The same event can come more than once: remember its `id`. Works wherever there is `node:crypto`: Bun, Node, Deno.
 */
export const verifyWebhook = (options: VerifyWebhookOptions): WebhookEvent => {
  const { body, secret, toleranceSeconds = 300, now = new Date() } = options
  const bytes = bytesOf(body)
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? [])
  // An environment variable that is not set would be a key that everybody knows.
  if (secrets.length === 0 || secrets.some(text => typeof text !== 'string' || text.trim() === ''))
    throw new WebhookVerificationError('missing_secret')
  const { seconds, signatures } = parseHeader(headerOf(options))
  const isSigned = secrets.some(key => {
    const wanted = createHmac('sha256', key).update(`${seconds}.`).update(bytes).digest()
    return signatures.some(given => timingSafeEqual(given, wanted))
  })
  if (!isSigned) throw new WebhookVerificationError('no_match')
  // Asked this way round, so that what is no number does not pass.
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

/** `t=1700000000,v1=<hex>`, with a further v1 while a secret is being replaced. What else may come is ignored. */
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
