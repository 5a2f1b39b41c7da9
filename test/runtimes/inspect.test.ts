import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { createWebSocketReceiver } from '@statelyai/inspect'
import { database } from '../harness/database.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { findRuntime, runtimes } from './runtimes.ts'

/** The whole server on each runtime, and the package's own receiver. */
const program = fileURLToPath(new URL('main-program.ts', import.meta.url))

type Made = Readonly<Record<'id' | 'accessToken' | 'secret' | 'ticket', string>> & {
  readonly merchants: readonly { readonly id: string }[]
}

const post = async (url: string, body: object, bearer?: string) => {
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
  })
  expect([url, answer.status]).toEqual([url, 201])
  return (await answer.json()) as Made
}

test.concurrent.each(['Bun', ...Object.keys(runtimes)])(
  'on %s the receiver of the package gets actors, events and snapshots, and SIGTERM closes the WebSocket',
  async name => {
    const runtime = name === 'Bun' ? undefined : await findRuntime(name)
    if (name !== 'Bun' && !runtime) return console.warn(`${name} is not available: its tests are skipped`)
    await using db = await database()
    await using folder = dataFolder()
    const env = {
      DATABASE_URL: db.url,
      DATA_DIR: folder.path,
      SECRET_KEY: 'a secret key for tests and for nothing else',
    }
    await using main = await startMain(env, runtime && { runtime, program })
    const { url } = main
    const signUp = { email: 'anna@example.com', password: 'correct horse', merchantName: 'Lamps' }
    // The first account is an operator, and the server can be reached from this machine only.
    const { accessToken, merchants } = await post(`${url}/v1/auth/sign-up`, signUp)
    const { secret } = await post(
      `${url}/v1/merchants/${merchants[0]?.id}/api-keys`,
      { name: 'The shop', access: 'full' },
      accessToken,
    )
    const one = await post(`${url}/v1/payment-links`, { amountMinor: 1000, currency: 'USD' }, secret)
    const inspect = async () => {
      const { ticket } = await post(`${url}/v1/ops/tickets`, {}, accessToken)
      return `${url.replace('http', 'ws')}/v1/ops/inspect?ticket=${ticket}`
    }
    const messages: { type: string; sessionId: string; event?: { type: string } }[] = []
    createWebSocketReceiver({ server: await inspect() }).subscribe(message => void messages.push(message as never))
    await until(() => messages.length === 1)
    const two = await post(`${url}/v1/payment-links`, { amountMinor: 2000, currency: 'USD' }, secret)
    await until(() => messages.length === 4)
    expect(messages.map(({ type, sessionId }) => [type, sessionId])).toEqual([
      ['@xstate.actor', one.id],
      ['@xstate.actor', two.id],
      ['@xstate.event', two.id],
      ['@xstate.snapshot', two.id],
    ])

    const used = await inspect()
    const socket = new WebSocket(used)
    const closed = new Promise<number>(resolve => {
      socket.onclose = ({ code }) => resolve(code)
    })
    await new Promise((resolve, reject) => {
      socket.onopen = resolve
      socket.onerror = reject
    })
    const path = new URL(used).pathname + new URL(used).search
    const refusedWith = async (more: string) => {
      const answer = await fetch(`${url}${path}`, {
        headers: { upgrade: 'websocket', connection: 'Upgrade', ...(more && { origin: more }) },
      })
      return `${answer.status} ${((await answer.json()) as { error: { code: string } }).error.code}`
    }
    expect(await refusedWith('')).toBe('401 invalid_token')
    expect(await refusedWith('https://evil.example')).toBe('403 insufficient_role')
    main.child.kill('SIGTERM')
    expect(await closed).toBe(1001)
    expect(await main.exited).toBe(0)
  },
  90_000,
)
