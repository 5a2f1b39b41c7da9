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

/** The event, or the code of what was wrong with it. */
const outcome = (changes: Partial<VerifyWebhookOptions> | Readonly<Record<string, unknown>>) => {
  try {
    // Callers in plain JavaScript hand over what they like.
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
  ['headers as they were written', { header: undefined, headers: { 'Service-Signature': header } }],
  ['a header in a list', { header: undefined, headers: { 'service-signature': [header] } }],
  ['spaces between the parts', { header: header.replaceAll(',', ', ') }],
  ['a version that is not known yet', { header: `${header},v2=abc,n` }],
  ['capital letters', { header: header.replace(/v1=.*/, part => `v1=${part.slice(3).toUpperCase()}`) }],
  ['a list of secrets', { secret: [old, secret] }],
  ['both signatures, and the new secret', { header: headerOf(secret, old) }],
  ['both signatures, and the old secret', { header: headerOf(secret, old), secret: old }],
  ['a signature of nonsense beside a good one', { header: header.replace(',', ',v1=zz,v1=,') }],
])('%s will do', (_, changes) => expect(outcome(changes)).toEqual(event as never))

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
  ['another version alone', { header: header.replace('v1=', 'v0=') }, 'malformed_header'],
  ['nonsense', { header: 'nonsense' }, 'malformed_header'],
  ['another time', { header: header.replace(/^t=\d+/, 't=1795176001') }, 'no_match'],
  ['the same time, written otherwise', { header: header.replace(/^t=/, 't=0') }, 'no_match'],
  ['another signature', { header: cut(header) }, 'no_match'],
  ['half a signature', { header: header.slice(0, -32) }, 'no_match'],
  ['a signature and more', { header: `${header}00` }, 'no_match'],
  ['an empty signature', { header: header.replace(/v1=.*/, 'v1=') }, 'no_match'],
  ['another body', { body: body.replace('false', 'true') }, 'no_match'],
  ['a body without its last byte', { body: body.slice(0, -1) }, 'no_match'],
  ['an empty body', { body: '' }, 'no_match'],
  ['the body parsed and written again', { body: JSON.stringify(JSON.parse(body)) }, 'no_match'],
  ['another secret', { secret: old }, 'no_match'],
  ['the secret without its prefix', { secret: secret.slice(6) }, 'no_match'],
  ['a body that was parsed', { body: JSON.parse(body) }, 'raw_body_needed'],
  ['no body', { body: undefined }, 'raw_body_needed'],
  ['no secret', { secret: undefined }, 'missing_secret'],
  ['an empty secret', { secret: '' }, 'missing_secret'],
  ['an empty list of secrets', { secret: [] }, 'missing_secret'],
  ['an empty one among several', { secret: [secret, ''] }, 'missing_secret'],
])('%s is refused', (_, changes, code) => expect(outcome(changes)).toBe(code))

test.each<[number, boolean]>([
  [-300_400, true],
  [-300_401, false],
  [0, true],
  [300_599, true],
  [300_600, false],
  [Number.NaN, false],
])('a clock that is %d ms apart is %p', (apart, isTaken) => {
  expect(outcome({ now: new Date(at.getTime() + apart) })).toEqual((isTaken ? event : 'expired') as never)
})

test('the tolerance can be another, and one that is no number takes nothing', () => {
  const later = new Date(at.getTime() + 10_000)
  expect(outcome({ now: later, toleranceSeconds: 9 })).toBe('expired')
  expect(outcome({ now: later, toleranceSeconds: 10 })).toEqual(event as never)
  expect(outcome({ toleranceSeconds: Number.NaN })).toBe('expired')
})

test('an old signature that is not ours is told apart from one that is', () => {
  const now = new Date(at.getTime() + 3_600_000)
  expect(outcome({ now })).toBe('expired')
  expect(outcome({ now, secret: old })).toBe('no_match')
})

test('what is wrong is said in a sentence without anything secret', () => {
  const told = (() => {
    try {
      return verifyWebhook({ ...given, secret: old })
    } catch (error) {
      return error
    }
  })()
  expect(told).toBeInstanceOf(Error)
  expect(String(told)).toBe(`WebhookVerificationError: ${Object(told).message}`)
  for (const part of [old.slice(6), header.slice(20), 'payment.succeeded']) expect(String(told)).not.toContain(part)
})

test('it imports nothing but node:crypto', () => {
  const source = readFileSync(fileURLToPath(new URL('../../src/verify-webhook/index.ts', import.meta.url)), 'utf8')
  expect([...source.matchAll(/\bfrom '([^']+)'/g)].map(([, name]) => name)).toEqual(['node:crypto'])
})

const posted = { method: 'POST', headers: { 'content-type': 'application/json', 'Service-Signature': header }, body }

/** As the comment at the function has it. */
test('Elysia hands over the raw body when it is asked for text', async () => {
  const app = new Elysia().post(
    '/hook',
    ({ body, headers }) => verifyWebhook({ body: body as string, headers, secret, now: at }).id,
    { parse: 'text' },
  )
  const answer = await app.handle(new Request('http://localhost/hook', posted))
  expect(await answer.text()).toBe('e1')
})

test('Hono hands over the text and its headers', async () => {
  const app = new Hono().post('/hook', async ({ req, text }) =>
    text(verifyWebhook({ body: await req.text(), headers: req.raw.headers, secret, now: at }).id),
  )
  expect(await (await app.request('/hook', posted)).text()).toBe('e1')
})

test('Express hands over the bytes where it is told to, and what it has parsed is refused by name', async () => {
  const app = express()
  app.post('/hook', express.raw({ type: 'application/json' }), ({ body, headers }, response) => {
    response.send(verifyWebhook({ body, headers, secret, now: at }).id)
  })
  app.post('/parsed', express.json(), ({ body, headers }, response) => {
    response.send(outcome({ body, header: undefined, headers }))
  })
  expect(await askedOf(createServer(app), '/hook')).toBe('e1')
  expect(await askedOf(createServer(app), '/parsed')).toBe('raw_body_needed')
})

test('node:http has headers that fit', async () => {
  const server = createServer(async (request, response) => {
    response.end(verifyWebhook({ body: await buffer(request), headers: request.headers, secret, now: at }).id)
  })
  expect(await askedOf(server, '/')).toBe('e1')
})

/** What a server answers to the webhook. */
const askedOf = async (server: Server, path: string): Promise<string> => {
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
