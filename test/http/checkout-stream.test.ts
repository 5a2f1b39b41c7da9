import { describe, expect, test } from 'bun:test'
import { settlePayments } from '../../src/chain/watch/settle.ts'
import { app } from '../../src/http/app.ts'
import { openStreams } from '../../src/http/checkout-streams.ts'
import { routes } from '../../src/http/routes.ts'
import { serve } from '../../src/http/serve.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { openLedger } from '../chain/watch/ledger.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { database } from '../harness/database.ts'
import { events } from '../harness/events.ts'
import { startMain } from '../harness/main.ts'
import { type CheckoutPayment, checkoutServer, type Opened } from './checkouts.ts'
import { signedUp } from './visitor.ts'

const { server, link, open, customer } = await checkoutServer()
const ledger = await openLedger(server.sql)

const opened = async (json: object = {}) => {
  const made = await open((await link()).id, json)
  return { ...made, ...customer(made), url: `${server.url}${customer(made).path}/stream` }
}
const withSecret = ({ clientSecret }: Opened) => ({ 'client-secret': clientSecret })
const asJson = { method: 'POST', headers: { 'content-type': 'application/json' } }
const dataOf = async (stream: Awaited<ReturnType<typeof events>>) => {
  const event = await stream.next()
  return event?.data as CheckoutPayment | undefined
}

describe('GET /v1/checkout/payments/:id/stream', () => {
  test('200: the payment on connecting, with the secret in the header or in the query', async () => {
    const made = await opened({ chainId: 31337, asset: 'TUSD' })
    for (const [url, headers] of [
      [made.url, withSecret(made)],
      [`${made.url}?clientSecret=${made.clientSecret}`, {}],
    ] as const) {
      const stream = await events(url, headers)
      expect(stream.response.status).toBe(200)
      expect(Object.fromEntries(stream.response.headers)).toMatchObject({
        ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
        'request-id': expect.any(String),
      })
      const event = await stream.next()
      expect(event).toEqual({ id: expect.stringMatching(/^\d+-0-/), event: 'payment', data: made.payment })
      stream.leave()
    }
  })

  test('200: every change, confirmations included, reaches all listeners', async () => {
    const made = await opened()
    const streams = await Promise.all([1, 2].map(() => events(made.url, withSecret(made))))
    for (const stream of streams) expect(await dataOf(stream)).toMatchObject({ status: 'pending', crypto: null })
    const picked = await made.pick(31337, 'TUSD')
    for (const stream of streams) expect((await dataOf(stream))?.crypto).toEqual(picked.crypto)

    const receiver = picked.crypto?.address.toLowerCase() ?? ''
    await ledger.block([{ to: receiver, amount: 10_000_000n, token: sandboxContracts.token }])
    await settlePayments(server.api)
    /** Skips states in between. */
    const until = async (is: (payment: CheckoutPayment) => boolean) => {
      for (const stream of streams) for (let now = await dataOf(stream); now && !is(now); now = await dataOf(stream));
    }
    await until(({ status, crypto }) => status === 'processing' && crypto?.confirmations === 1)
    await ledger.block()
    await until(({ status, crypto }) => status === 'processing' && crypto?.confirmations === 2)
    await ledger.finalize()
    await settlePayments(server.api)
    await until(({ status }) => status === 'success')
    for (const stream of streams) stream.leave()
    const now = await events(made.url, withSecret(made))
    expect({ ...(await dataOf(now)), code: 200 }).toEqual((await made.read()) as never)
    now.leave()
  })

  test('200: Last-Event-ID resumes with what is new, without repeats', async () => {
    const made = await opened()
    const first = await events(made.url, withSecret(made))
    const known = (await first.next())?.id ?? ''
    first.leave()
    const again = await events(made.url, { ...withSecret(made), 'last-event-id': known })
    const [update] = await Promise.all([again.next(), made.pick(31337, 'TUSD')])
    expect(update?.id).not.toBe(known)
    expect(update?.data).toMatchObject({ crypto: { asset: 'TUSD' } })
    again.leave()
    // That event is outdated by now.
    const late = await events(made.url, { ...withSecret(made), 'last-event-id': known })
    expect(await late.next()).toEqual(update as never)
    late.leave()
  })

  test('200: HEAD, without a body', async () => {
    const made = await opened()
    const { status, headers } = await fetch(made.url, { method: 'HEAD', headers: withSecret(made) })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  })

  test('404: without the secret, as JSON', async () => {
    const made = await opened()
    const { status, json } = await server.call('GET', `${made.path}/stream`, { headers: { 'client-secret': 'x' } })
    expect([status, json]).toMatchObject([404, { error: { code: 'resource_not_found' } }])
  })
})

test.concurrent('heartbeats keep a stream without events from being closed as idle', async () => {
  const made = await opened()
  const streams = openStreams({ look: async () => new Map(), log: server.api.log, beatMs: 500 })
  const quickBeats = app(routes, { ...server.api, streams })
  const serving = await serve(quickBeats, { host: '127.0.0.1', port: 0, idleS: 5 })
  const at = `http://127.0.0.1:${quickBeats.server?.port}${made.path}/stream`
  const { body } = await fetch(at, { headers: withSecret(made) })
  let beats = 0
  // A heartbeat every half second; an idle connection would be closed within eight seconds.
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? [])
    if (piece.startsWith(':') && ++beats === 18) streams.stop()
  expect(beats).toBe(18)
  await serving.stop()
})

test.concurrent('a server that is stopped ends its streams before it ends, and has written no secret anywhere', async () => {
  await using db = await database()
  await using main = await startMain({ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'api', LOG_LEVEL: 'trace' })
  const anna = await signedUp(main)
  const { body } = await anna.get('me')
  const post = async (path: string, json: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${anna.bearer}` }
    const answer = await fetch(main.url + path, { method: 'POST', headers, body: JSON.stringify(json) })
    return (await answer.json()) as { id: string } & Opened
  }
  const merchant = body.merchants?.[0]?.id
  const { id } = await post(`/v1/merchants/${merchant}/payment-links`, { amountMinor: 1000, currency: 'USD' })
  const made = await post(`/v1/checkout/links/${id}/payments`, { customerEmail: 'ada@example.com' })
  const stream = await events(`${main.url}/v1/checkout/payments/${made.payment.id}/stream`, withSecret(made))
  expect(await dataOf(stream)).toEqual(made.payment)

  // Errors log the most.
  await db.sql`alter table checkouts rename to gone`
  const path = `/v1/checkout/payments/${made.payment.id}`
  const { clientSecret } = made
  const byBody = { chainId: 1, asset: 'ETH', clientSecret }
  const answers = [
    await fetch(main.url + path, { headers: withSecret(made) }),
    await fetch(`${main.url}${path}/stream?clientSecret=${clientSecret}`),
    await fetch(`${main.url}${path}/asset`, { ...asJson, body: JSON.stringify(byBody) }),
    await fetch(`${main.url}${path}/asset`, {
      ...asJson,
      body: JSON.stringify({ clientSecret, chainId: clientSecret }),
    }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 400])
  const said = (await Promise.all(answers.map(answer => answer.text()))).concat(main.lines).join('\n')
  expect(said).toContain('request failed')
  expect(said).not.toContain(clientSecret.split('_secret_')[1] ?? '')

  main.child.kill('SIGTERM')
  // Ended cleanly: a cut connection would throw here.
  expect(await stream.next()).toBeUndefined()
  expect(await main.exited).toBe(0)
})
