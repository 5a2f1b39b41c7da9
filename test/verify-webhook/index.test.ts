import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Elysia } from 'elysia'
import express from 'express'
import { Hono } from 'hono'
import { type VerifyWebhookOptions, verifyWebhook, WebhookVerificationError } from '../../src/verify-webhook/index.ts'
import { signedHeaders } from '../../src/webhooks/signature.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const old = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const event = { id: 'e1', type: 'payment.succeeded', created: 1_795_176_000, livemode: false, data: { object: {} } }
const body = JSON.stringify(event, null, 2)
const at = new Date('2026-11-20T12:00:00.400Z')
const headerOf = (...secrets: string[]) => signedHeaders({ secrets, id: 'e1', body, at })['Service-Signature'] ?? ''
const header = headerOf(secret)

const given: VerifyWebhookOptions = { body, header, secret, now: at }

/** The event, or the error code. */
const outcome = (changes: Partial<VerifyWebhookOptions> | Readonly<Record<string, unknown>>) => {
  try {
    // Callers in plain JavaScript may pass anything.
    return verifyWebhook({ ...given, ...changes } as VerifyWebhookOptions)
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code
    throw error
  }
}

const cut = (text: string) => text.replace(/.$/, last => (last === '0' ? '1' : '0'))

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['text', { body }],
  ['bytes', { body: new TextEncoder().encode(body) }],
  ['a Buffer', { body: Buffer.from(body) }],
  ['an ArrayBuffer', { body: new TextEncoder().encode(body).buffer }],
  ['Headers', { header: undefined, headers: new Headers({ 'Service-Signature': header }) }],
  ['headers as Node has them', { header: undefined, headers: { 'service-signature': header, via: ['a', 'b'] } }],
  ['headers with their original case', { header: undefined, headers: { 'Service-Signature': header } }],
  ['a header in a list', { header: undefined, headers: { 'service-signature': [header] } }],
  ['spaces between the parts', { header: header.replaceAll(',', ', ') }],
  ['an unknown version', { header: `${header},v2=abc,n` }],
  ['upper-case digits', { header: header.replace(/v1=.*/, part => `v1=${part.slice(3).toUpperCase()}`) }],
  ['a list of secrets', { secret: [old, secret] }],
  ['both signatures, with the new secret', { header: headerOf(secret, old) }],
  ['both signatures, with the old secret', { header: headerOf(secret, old), secret: old }],
  ['an invalid signature next to a valid one', { header: header.replace(',', ',v1=zz,v1=,') }],
])('%s is accepted', (_, changes) => expect(outcome(changes)).toEqual(event as never))

test.each<[string, Readonly<Record<string, unknown>>, WebhookVerificationError['code']]>([
  ['no header', { header: undefined }, 'missing_header'],
  ['a header of null', { header: null }, 'missing_header'],
  ['an empty header', { header: ' ' }, 'missing_header'],
  ['headers without it', { header: undefined, headers: new Headers() }, 'missing_header'],
  ['plain headers without it', { header: undefined, headers: {} }, 'missing_header'],
  ['no time', { header: header.replace(/^t=\d+,/, '') }, 'malformed_header'],
  ['two times', { header: `${header},t=1795176000` }, 'malformed_header'],
  ['a time that is no number', { header: header.replace(/^t=\d+/, 't=NaN') }, 'malformed_header'],
  ['a time below zero', { header: header.replace(/^t=/, 't=-') }, 'malformed_header'],
  ['a time with a fraction', { header: header.replace(/^(t=\d+)/, '$1.0') }, 'malformed_header'],
  ['no signature', { header: header.replace(/,.*/, '') }, 'malformed_header'],
  ['only another version', { header: header.replace('v1=', 'v0=') }, 'malformed_header'],
  ['nonsense', { header: 'nonsense' }, 'malformed_header'],
  ['another time', { header: header.replace(/^t=\d+/, 't=1795176001') }, 'no_match'],
  ['the same time in another spelling', { header: header.replace(/^t=/, 't=0') }, 'no_match'],
  ['another signature', { header: cut(header) }, 'no_match'],
  ['half a signature', { header: header.slice(0, -32) }, 'no_match'],
  ['a signature with more digits', { header: `${header}00` }, 'no_match'],
  ['an empty signature', { header: header.replace(/v1=.*/, 'v1=') }, 'no_match'],
  ['another body', { body: body.replace('false', 'true') }, 'no_match'],
  ['a body without its last byte', { body: body.slice(0, -1) }, 'no_match'],
  ['an empty body', { body: '' }, 'no_match'],
  ['the body parsed and serialized again', { body: JSON.stringify(JSON.parse(body)) }, 'no_match'],
  ['another secret', { secret: old }, 'no_match'],
  ['the secret without its prefix', { secret: secret.slice(6) }, 'no_match'],
  ['a body that was parsed', { body: JSON.parse(body) }, 'raw_body_needed'],
  ['no body', { body: undefined }, 'raw_body_needed'],
  ['no secret', { secret: undefined }, 'missing_secret'],
  ['an empty secret', { secret: '' }, 'missing_secret'],
  ['an empty list of secrets', { secret: [] }, 'missing_secret'],
  ['an empty secret among several', { secret: [secret, ''] }, 'missing_secret'],
])('%s is refused', (_, changes, code) => expect(outcome(changes)).toBe(code))

test.each<[number, boolean]>([
  [-300_400, true],
  [-300_401, false],
  [0, true],
  [300_599, true],
  [300_600, false],
  [Number.NaN, false],
])('a clock that is %d ms off is %p', (offMs, isAccepted) => {
  expect(outcome({ now: new Date(at.getTime() + offMs) })).toEqual((isAccepted ? event : 'expired') as never)
})

test('the tolerance can be set, and one that is NaN accepts nothing', () => {
  const later = new Date(at.getTime() + 10_000)
  expect(outcome({ now: later, toleranceSeconds: 9 })).toBe('expired')
  expect(outcome({ now: later, toleranceSeconds: 10 })).toEqual(event as never)
  expect(outcome({ toleranceSeconds: Number.NaN })).toBe('expired')
})

test('a valid old signature and an invalid one have different errors', () => {
  const now = new Date(at.getTime() + 3_600_000)
  expect(outcome({ now })).toBe('expired')
  expect(outcome({ now, secret: old })).toBe('no_match')
})

test('each error has a message without secrets', () => {
  const error = (() => {
    try {
      return verifyWebhook({ ...given, secret: old })
    } catch (error) {
      return error
    }
  })()
  expect(error).toBeInstanceOf(Error)
  expect(String(error)).toBe(`WebhookVerificationError: ${Object(error).message}`)
  for (const part of [old.slice(6), header.slice(20), 'payment.succeeded']) expect(String(error)).not.toContain(part)
})

test('it imports only node:crypto', () => {
  const source = readFileSync(fileURLToPath(new URL('../../src/verify-webhook/index.ts', import.meta.url)), 'utf8')
  expect([...source.matchAll(/\bfrom '([^']+)'/g)].map(([, name]) => name)).toEqual(['node:crypto'])
})

const posted = { method: 'POST', headers: { 'content-type': 'application/json', 'Service-Signature': header }, body }

/** As in the comment of the function. */
test('Elysia passes the raw body when it is requested as text', async () => {
  const app = new Elysia().post(
    '/hook',
    ({ body, headers }) => verifyWebhook({ body: body as string, headers, secret, now: at }).id,
    { parse: 'text' },
  )
  const answer = await app.handle(new Request('http://localhost/hook', posted))
  expect(await answer.text()).toBe('e1')
})

test('Hono passes the text and its headers', async () => {
  const app = new Hono().post('/hook', async ({ req, text }) =>
    text(verifyWebhook({ body: await req.text(), headers: req.raw.headers, secret, now: at }).id),
  )
  expect(await (await app.request('/hook', posted)).text()).toBe('e1')
})

test('Express passes the bytes with express.raw(), and a parsed body is refused with its own error', async () => {
  const app = express()
  app.post('/hook', express.raw({ type: 'application/json' }), ({ body, headers }, response) => {
    response.send(verifyWebhook({ body, headers, secret, now: at }).id)
  })
  app.post('/parsed', express.json(), ({ body, headers }, response) => {
    response.send(outcome({ body, header: undefined, headers }))
  })
  expect(await post(createServer(app), '/hook')).toBe('e1')
  expect(await post(createServer(app), '/parsed')).toBe('raw_body_needed')
})

test('node:http has headers in the right form', async () => {
  const server = createServer(async (request, response) => {
    response.end(verifyWebhook({ body: await buffer(request), headers: request.headers, secret, now: at }).id)
  })
  expect(await post(server, '/')).toBe('e1')
})

/** The response of a server to the webhook. */
const post = async (server: Server, path: string): Promise<string> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    return await (await fetch(`http://127.0.0.1:${Object(server.address()).port}${path}`, posted)).text()
  } finally {
    server.close()
  }
}

test('the README lists every error code', () => {
  const folder = new URL('../../src/verify-webhook/', import.meta.url)
  const [, table = ''] = readFileSync(new URL('README.md', folder), 'utf8').split('## Errors')
  const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)
  const source = readFileSync(new URL('index.ts', folder), 'utf8')
  const [, sentences = ''] = source.split('const sentences = {')
  expect(listed).toEqual(
    [...(sentences.split('} as const')[0]?.matchAll(/^ {2}(\w+):/gm) ?? [])].map(([, code]) => code),
  )
  expect(listed.length).toBe(7)
})
