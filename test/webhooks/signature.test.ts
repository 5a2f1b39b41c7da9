import { expect, test } from 'bun:test'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { verifyWebhook } from '../../src/verify-webhook/index.ts'
import { makeSecret, signedHeaders } from '../../src/webhooks/signature.ts'

const newSecret = () => makeSecret(bytes => crypto.getRandomValues(bytes))
const [current, previous] = [newSecret(), newSecret()]
const id = '019a0000-0000-7000-8000-000000000001'
const event = { id, type: 'payment.succeeded', data: { object: { title: 'Kaffee – für 2 ☕', amountMinor: 500 } } }
const body = JSON.stringify(event)
// The other libraries use the clock of the machine.
const at = new Date()
const signed = (secrets: readonly string[]) => signedHeaders({ secrets, id, body, at })

test('a secret is whsec_ and 256 bits', () => {
  expect(current).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(Buffer.from(current.slice('whsec_'.length), 'base64').length).toBe(32)
  expect(current).not.toBe(previous)
})

test('the header has the time and the HMAC of time, period and body, with the secret as it is written', () => {
  const seconds = Math.floor(at.getTime() / 1_000)
  const wanted = bytesToHex(hmac(sha256, utf8ToBytes(current), utf8ToBytes(`${seconds}.${body}`)))
  expect(signed([current])['Service-Signature']).toBe(`t=${seconds},v1=${wanted}`)
})

test('the time is truncated to seconds, not rounded', () => {
  const headers = signedHeaders({ secrets: [current], id, body, at: new Date('2026-11-20T12:00:00.999Z') })
  expect(headers['Service-Signature']).toStartWith('t=1795176000,')
  expect(headers['webhook-timestamp']).toBe('1795176000')
})

test('a body of bytes has the signature of the same text', () => {
  expect(signedHeaders({ secrets: [current], id, body: new TextEncoder().encode(body), at })).toEqual(signed([current]))
})

/** Verifiers of a delivery with one secret. */
const verifiers: Readonly<
  Record<string, (headers: Record<string, string>, secret: string, text?: string) => Promise<unknown>>
> = {
  'the stripe package': async (headers, secret, text = body) =>
    Stripe.webhooks.constructEventAsync(text, headers['Service-Signature'] ?? '', secret),
  'the standardwebhooks package': async (headers, secret, text = body) => new Webhook(secret).verify(text, headers),
  verifyWebhook: async (headers, secret, text = body) => verifyWebhook({ body: text, headers, secret }),
}

test.each(Object.entries(verifiers))('%s accepts what is signed, and nothing else', async (_, verify) => {
  expect(await verify(signed([current]), current)).toEqual(event)
  await expect(verify(signed([previous]), current)).rejects.toThrow()
  await expect(verify(signed([current]), current, body.replace('500', '501'))).rejects.toThrow()
  await expect(verify(signed([current]), current, `${body}\n`)).rejects.toThrow()
  const longAgo = signedHeaders({ secrets: [current], id, body, at: new Date(at.getTime() - 360_000) })
  await expect(verify(longAgo, current)).rejects.toThrow()
})

test.each(Object.entries(verifiers))('%s accepts each of the two secrets during a rotation', async (_, verify) => {
  const headers = signed([current, previous])
  expect(await verify(headers, current)).toEqual(event)
  expect(await verify(headers, previous)).toEqual(event)
  await expect(verify(headers, newSecret())).rejects.toThrow()
})

test('the newest secret signs first', () => {
  const [both, alone] = [signed([current, previous]), signed([current])]
  for (const name of ['Service-Signature', 'webhook-signature']) expect(both[name]).toStartWith(alone[name] ?? '-')
})
