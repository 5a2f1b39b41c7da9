import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '../dependencies.ts'

/** 256 random bits in the format of Standard Webhooks. */
export const makeSecret = (random: Random): string =>
  `${PREFIX}${Buffer.from(random(new Uint8Array(32))).toString('base64')}`

const PREFIX = 'whsec_'

export type SignatureInput = {
  /** The newest first. Two while a secret is being replaced. */
  readonly secrets: readonly string[]
  /** The id of the event, the same at every attempt. */
  readonly id: string
  readonly body: string | Uint8Array
  readonly at: Date
}

/**
 * `Service-Signature` uses the text of the secret as key, as Stripe does. The three headers of Standard Webhooks use
 * the decoded bytes as key and also sign the id.
 */
export const signedHeaders = ({ secrets, id, body, at }: SignatureInput): Record<string, string> => {
  const seconds = Math.floor(at.getTime() / 1_000)
  let ours = ''
  let standard = ''
  for (const secret of secrets) {
    ours += `${ours && ','}v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')
    standard += `${standard && ' '}v1,${signature}`
  }
  return headersWith({ id, seconds, ours, standard })
}

type Signed = { readonly id: string; readonly seconds: number; readonly ours: string; readonly standard: string }

/** The headers with these signatures. */
export const headersWith = ({ id, seconds, ours, standard }: Signed): Record<string, string> => ({
  'Service-Signature': `t=${seconds},${ours}`,
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': standard,
})

type SignedRequest = Omit<SignatureInput, 'id'> & { readonly header: string | undefined }

const TOLERANCE_MS = 300_000

/** Whether `header`, a Service-Signature, is one of these secrets over this body, made within five minutes of `at`. */
export const hasValidSignature = ({ header, secrets, body, at }: SignedRequest): boolean => {
  const [, seconds] = /^t=(\d{1,12}),/.exec(header ?? '') ?? []
  if (header === undefined || seconds === undefined) return false
  if (Math.abs(at.getTime() - Number(seconds) * 1_000) > TOLERANCE_MS) return false
  const given = [...header.matchAll(/,v1=([0-9a-f]{64})(?=,|$)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex'))
  return secrets.some(secret => {
    const wanted = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
    return given.some(signature => timingSafeEqual(signature, wanted))
  })
}
