import { createHmac } from 'node:crypto'
import type { Random } from '../outside.ts'

/** 256 random bits, in the form that libraries for the Standard Webhooks take. */
export const makeSecret = (random: Random): string =>
  `${PREFIX}${Buffer.from(random(new Uint8Array(32))).toString('base64')}`

const PREFIX = 'whsec_'

export type SignatureInput = {
  /** Newest first: of a secret that is being replaced, both. */
  readonly secrets: readonly string[]
  /** Of the event: the same at every attempt. */
  readonly id: string
  readonly body: string | Uint8Array
  readonly at: Date
}

/**
 * `Service-Signature` has the secret as it is written for its key, as Stripe does it; the three headers of the
 * Standard Webhooks beside it have the bytes that it stands for, and sign the id too.
 */
export const signedHeaders = ({ secrets, id, body, at }: SignatureInput): Record<string, string> => {
  const seconds = Math.floor(at.getTime() / 1_000)
  let ours = `t=${seconds}`
  let standard = ''
  for (const secret of secrets) {
    ours += `,v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')
    standard += `${standard && ' '}v1,${signature}`
  }
  return {
    'Service-Signature': ours,
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard,
  }
}
