import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { database } from '../harness/database.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { events } from '../harness/events.ts'
import { type Main, startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { findRuntime, runtimes } from './runtimes.ts'
import { conversations, wire } from './wire.ts'

/** The whole server, started by the program that operators start. */
const program = fileURLToPath(new URL('main-program.ts', import.meta.url))
const open = new AsyncDisposableStack()
const instances = new Map<string, Main>()
let bun: Main

const start = async (name: string) => {
  const runtime = name === 'Bun' ? undefined : await findRuntime(name)
  if (name !== 'Bun' && !runtime) return console.warn(`${name} is not available: its tests are skipped`)
  const db = open.use(await database())
  const folder = open.use(dataFolder())
  const env = {
    ...{
      DATABASE_URL: db.url,
      DATA_DIR: folder.path,
      SANDBOX: name === 'Bun' ? 'off' : 'on',
      CHECKOUT_RATE_LIMIT: '0',
    },
    ...{ PUBLIC_URL: 'https://pay.test', TRUSTED_PROXIES: '127.0.0.0/8' },
    SECRET_KEY: 'a secret key for tests and for nothing else',
  }
  const instance = open.use(await startMain(env, runtime && { runtime, program }))
  if (name === 'Bun') bun = instance
  else instances.set(name, instance)
}

beforeAll(() => Promise.all(['Bun', ...Object.keys(runtimes)].map(start)).then(() => {}), 60_000)
afterAll(() => open.disposeAsync())

const names = Object.keys(runtimes)

test.each(names)(
  'on %s every request gets the same response as on Bun',
  async name => {
    const instance = instances.get(name)
    if (!instance) return
    for (const [what, parts] of Object.entries(conversations))
      expect([what, await wire(instance.url, parts)]).toEqual([what, await wire(bun.url, parts)])
  },
  30_000,
)

test.concurrent.each(names)(
  'on %s a customer pays, a merchant cancels, streams report both, and SIGTERM stops the server',
  async name => {
    const instance = instances.get(name)
    if (!instance) return
    const post = postTo(instance.url)
    const signUpCode = instance.lines.flatMap(
      line => /^The first sign-up needs the code (\w+)$/.exec(line)?.[1] ?? [],
    )[0]
    const signUp = { email: 'anna@example.com', password: 'correct horse', merchantName: 'Lamps', signUpCode }
    const { accessToken: me, merchants } = await post('/v1/auth/sign-up', signUp)
    const merchant = `/v1/merchants/${merchants[0].id}`
    const { secret: key } = await post(`${merchant}/api-keys`, { name: 'The shop', access: 'full' }, me)
    const link = await post('/v1/payment-links', { amountMinor: 1000, currency: 'USD' }, key)

    const opened = async () => {
      const path = `/v1/checkout/links/${link.id}/payments`
      const { payment, clientSecret } = await post(path, { customerEmail: 'ada@example.com' })
      const at = `/v1/checkout/payments/${payment.id}`
      const picked = await post(`${at}/asset`, { chainId: 31337, asset: 'TUSD', clientSecret })
      expect(picked.crypto.amountExpected).toBe('10000000')
      return { id: payment.id, stream: `${instance.url}${at}/stream?clientSecret=${clientSecret}` }
    }
    const [one, other] = [await opened(), await opened()]

    // An address can have sixty streams, and closed ones are released.
    const from = { 'x-forwarded-for': '10.1.1.1' }
    const payments = await Promise.all(Array.from({ length: 6 }, opened))
    const left = await Promise.all(Array.from({ length: 60 }, (_, n) => events(payments[n % 6]?.stream ?? '', from)))
    expect((await events(one.stream, from)).response.status).toBe(429)
    for (const stream of left) stream.leave()
    await until(async () => {
      const again = await events(one.stream, from)
      again.leave()
      return again.response.status === 200
    })

    const [paid, canceled] = [await events(one.stream), await events(other.stream)]
    await post(`${merchant}/payments/${other.id}/cancel`, {}, me)
    await updates(canceled, 'canceled')
    await post(`/v1/sandbox/payments/${one.id}/simulate`, { scenario: 'paid' }, key)
    await updates(paid, 'success')

    instance.child.kill('SIGTERM')
    // Ended cleanly: a cut connection would throw here.
    while (await paid.next());
    while (await canceled.next());
    expect(await instance.exited).toBe(0)
    expect(instance.lines.at(-1)).toBe('Stopping')
  },
  30_000,
)

/** Reads until the stream has reported the status. */
const updates = async (stream: Awaited<ReturnType<typeof events>>, status: string): Promise<void> => {
  for (let event = await stream.next(); ; event = await stream.next()) {
    if (!event) throw new Error(`the stream has ended without ${status}`)
    if (Object(event.data).status === status) return
  }
}

const postTo = (url: string) => async (path: string, json: object, bearer?: string) => {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(json) })
  if (!answer.ok) throw new Error(`${path} returned ${answer.status} ${await answer.text()}`)
  return Object(await answer.json())
}
