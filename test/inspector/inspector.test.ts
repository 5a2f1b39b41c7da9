import { afterAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createWebSocketReceiver } from '@statelyai/inspect'
import { hasBrowser, openBrowser } from '../harness/browser.ts'
import { until } from '../harness/until.ts'
import { inspectedServer, operatorOfServer, startBridge } from './bridge.ts'

const server = await inspectedServer()
afterAll(() => server[Symbol.asyncDispose]())
const { email, password } = operatorOfServer
const signIn = [email, password]

const openSessions = async () =>
  Number((await server.sql`select count(*) from sessions where ended_at is null`)[0]?.count)

type Message = { readonly type: string; readonly sessionId: string }

/** The page of an address, and the address of its WebSocket. */
const openPage = async (address: string) => {
  const { origin } = new URL(address)
  const answer = await fetch(address)
  expect(answer.status).toBe(200)
  const [feed = ''] = /ws:[^"]+\/feed\?key=[\w-]{43}/.exec(await answer.text()) ?? []
  return { origin, headers: answer.headers, feed }
}

/** With any Host header, which `fetch` does not allow. */
const statusOf = async (url: string, headers: Readonly<Record<string, string>>) => {
  const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

test('what leaves the machine is said first, and without consent nothing is opened', async () => {
  await using bridge = startBridge(['--server', server.url], ['n', ...signIn])
  expect(await bridge.exited).toBe(1)
  const printed = bridge.printed()
  for (const part of ['https://stately.ai/inspect', 'third party, Stately', 'payment: ', 'amountMinor', 'no e-mail'])
    expect(printed).toContain(part)
  expect(printed).not.toContain('customerEmail')
  expect(printed.indexOf('Continue?')).toBeGreaterThan(printed.indexOf('third party'))
  expect(printed).not.toContain('token=')
  expect(await openSessions()).toBe(1)
})

test.each([
  [['--server', 'http://pay.example.com'], '--server must begin with https://'],
  [['--kind', 'lamp'], '--kind lamp is no machine'],
  [['--port', '70000'], '--port must be a port number'],
  [['--share'], 'Usage: bun run inspector'],
])('%p is refused', async (args, message) => {
  await using bridge = startBridge([...args, '--yes'], signIn)
  expect(await bridge.exited).toBe(1)
  expect(bridge.printed()).toContain(message)
})

test('a wrong password ends it, and is not printed', async () => {
  await using bridge = startBridge(['--server', server.url, '--yes'], [email, 'a wrong password'])
  expect(await bridge.exited).toBe(1)
  expect(bridge.printed()).toContain('The sign-in was refused: invalid_credentials')
  expect(bridge.printed()).not.toContain('a wrong password')
})

test("the package's receiver gets actors and transitions, and Ctrl-C closes everything and signs out", async () => {
  const link = await server.newLink()
  await using bridge = startBridge(['--server', server.url, '--yes', '--kind', 'payment_link'], signIn)
  const { feed, origin } = await openPage(await bridge.address())
  expect(await openSessions()).toBe(2)
  const messages: Message[] = []
  createWebSocketReceiver({ server: feed }).subscribe(message => void messages.push(message as unknown as Message))
  await until(() => messages.some(({ type, sessionId }) => type === '@xstate.actor' && sessionId === link))
  const other = await server.newLink()
  await until(() => messages.some(({ type, sessionId }) => type === '@xstate.snapshot' && sessionId === other))
  expect(JSON.stringify(messages)).not.toContain('MARKED')
  bridge.child.kill('SIGINT')
  expect(await bridge.exited).toBe(0)
  expect(await fetch(origin).catch(() => 'closed')).toBe('closed')
  expect(await openSessions()).toBe(1)
})

test('the address works once, on this machine, under its own name and for its own page', async () => {
  await using bridge = startBridge(['--server', server.url, '--yes'], signIn)
  const address = await bridge.address()
  const { port, host } = new URL(address)
  expect(await statusOf(address.slice(0, -1), { host })).toBe(403)
  expect(await statusOf(address, { host: `lamps.example:${port}` })).toBe(403)
  expect(await statusOf(`http://${host}/`, { host })).toBe(403)
  const { feed, headers } = await openPage(address)
  expect((await fetch(address)).status).toBe(403)
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  const upgrade = (url: string, more: Readonly<Record<string, string>> = {}) =>
    statusOf(url.replace('ws', 'http'), {
      ...{ host, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', ...more },
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    })
  expect(await upgrade(feed.slice(0, -1))).toBe(403)
  expect(await upgrade(feed, { origin: 'https://evil.example' })).toBe(403)
  expect(await upgrade(feed, { host: `lamps.example:${port}` })).toBe(403)
  for (const { address, internal, family } of Object.values(networkInterfaces()).flatMap(each => each ?? [])) {
    if (internal || family !== 'IPv4') continue
    const reached = await once(connect(Number(port), address), 'connect').then(
      () => 'open',
      () => 'refused',
    )
    expect([address, reached]).toEqual([address, 'refused'])
  }
})

test.skipIf(!hasBrowser)('a browser passes everything to the frame, also after a restart of the server', async () => {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(new URL('receiver-page.ts', import.meta.url))],
    target: 'browser',
  })
  const script = await built.outputs[0]?.text()
  const asked: (string | null)[] = []
  using hosted = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: request => {
      asked.push(request.headers.get('referer'))
      return request.url.endsWith('.js')
        ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
        : new Response('<script src="/receiver.js"></script>', { headers: { 'content-type': 'text/html' } })
    },
  })
  const link = await server.newLink()
  await using bridge = startBridge(['--server', server.url, '--yes'], signIn, `${hosted.url}inspect`)
  await using browser = await openBrowser()
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  await page.goto(await bridge.address())
  const received = async () => (await page.frames()[1]?.evaluate<Message[]>('globalThis.received ?? []')) ?? []
  const has = (type: string, id: string) => async () =>
    (await received()).some(message => message.type === type && message.sessionId === id)
  await page.getByText('What is shown below is sent to').waitFor()
  expect(errors).toEqual([])
  await until(has('@xstate.actor', link))
  // Neither the page nor the history has the token.
  expect(new URL(page.url()).search).toBe('')
  expect(asked[0]).toBeNull()
  await server.restart()
  // Sent with the states of now, or introduced by its first transition.
  await until(has('@xstate.actor', await server.newLink()))
  expect(errors).toEqual([])
})
