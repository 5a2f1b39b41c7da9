import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { nodeOf, type Opened, opened } from './opened.ts'

const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
let sandbox: Opened

beforeAll(async () => {
  sandbox = await opened(folder)
}, 60_000)
afterAll(async () => {
  await sandbox.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** One request as a program or a browser sends it. */
const post = async (headers: Readonly<Record<string, string>>, body: unknown, method = 'POST') => {
  const sending = request(sandbox.url, { method, headers: { 'content-type': 'application/json', ...headers } })
  sending.end(typeof body === 'string' ? body : JSON.stringify(body))
  const [answer] = await once(sending, 'response')
  return { status: Number(answer.statusCode), headers: answer.headers, text: await text(answer) }
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })

test('programs and browser extensions can use the node of the sandbox', async () => {
  const origins = [
    {},
    { origin: 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn' },
    { origin: 'moz-extension://1' },
  ]
  for (const headers of origins) {
    const answer = await post(headers, call('eth_chainId'))
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { jsonrpc: '2.0', id: 1, result: '0x7a69' }])
  }
  const { port } = new URL(sandbox.url)
  expect((await post({ host: `localhost:${port}` }, call('eth_chainId'))).status).toBe(200)
  const both = await post({}, [call('eth_chainId'), { ...call('eth_blockNumber'), id: 2 }])
  expect((JSON.parse(both.text) as { id: number }[]).map(({ id }) => id)).toEqual([1, 2])
})

test.each([
  ['of another site', { origin: 'https://shop.example' }],
  ['of another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['without an origin', { origin: 'null' }],
  ['under a host name that resolves to this machine', { host: 'rebound.example' }],
  ['that needs no CORS permission', { 'content-type': 'text/plain' }],
])('a page %s is refused by the node of the sandbox', async (_, headers) => {
  const { status, headers: answered } = await post(headers, call('eth_chainId'))
  expect(status).toBe(403)
  expect(answered['access-control-allow-origin']).toBeUndefined()
})

test('the node of the sandbox gives pages neither CORS permission nor a WebSocket', async () => {
  const asking = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
  const fetched = await post(asking, '', 'OPTIONS')
  expect([fetched.status, fetched.headers['access-control-allow-origin']]).toEqual([403, undefined])
  const socket = new WebSocket(sandbox.url.replace('http', 'ws'))
  const [event] = await Promise.race([once(socket, 'error'), once(socket, 'open')])
  expect(event.type).toBe('error')
})

test('the node of the sandbox cannot be made to fetch a URL', async () => {
  const reached: string[] = []
  const server = createServer(socket => {
    reached.push('reached')
    socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  for (const scheme of ['http', 'ws'])
    for (const method of ['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl']) {
      const params = method === 'anvil_setRpcUrl' ? `${scheme}://127.0.0.1:${port}` : {}
      const fork = { forking: { jsonRpcUrl: `${scheme}://127.0.0.1:${port}` } }
      const fetched = call(method, method === 'anvil_setRpcUrl' ? params : fork)
      expect((await post({}, fetched)).status).toBe(403)
      expect((await post({}, [call('eth_chainId'), fetched])).status).toBe(403)
      expect((await post({}, JSON.stringify(fetched).replace('{', '{"method":"eth_chainId",'))).status).toBe(403)
    }
  server.close()
  expect(reached).toEqual([])
})

test('an invalid request and one that is too large are refused', async () => {
  expect((await post({}, '{')).status).toBe(400)
  expect((await post({}, `"${'a'.repeat(5 * 2 ** 20)}"`)).status).toBe(413)
  expect((await post({}, call('eth_chainId'))).status).toBe(200)
})

test('a sandbox starts and works while proxy variables name an unreachable proxy', async () => {
  const home = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  const script = `
    import { openSandbox } from ${JSON.stringify(import.meta.resolve('../../src/sandbox/sandbox.ts'))}
    const env = { sandbox: true, sandboxRpcUrl: undefined, dataDir: ${JSON.stringify(home)} }
    const sandbox = await openSandbox(env, { say: line => console.log(line) })
    console.log(sandbox?.problem() ?? 'fine')
    await sandbox?.stop()
    process.exit(0)`
  const gone = 'http://127.0.0.1:1'
  const proxies = {
    HTTP_PROXY: gone,
    http_proxy: gone,
    HTTPS_PROXY: gone,
    https_proxy: gone,
    NO_PROXY: '',
    no_proxy: '',
  }
  const child = spawn(process.execPath, ['-e', script], {
    env: { ...process.env, ...proxies },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  expect((await text(child.stdout)).trim()).toBe('fine')
  expect(() => nodeOf(home)).not.toThrow()
  rmSync(home, { recursive: true, force: true })
}, 60_000)
