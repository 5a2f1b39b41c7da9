import { expect } from 'bun:test'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { database } from '../harness/database.ts'
import { dataFolder } from '../harness/embedded-parent.ts'
import { startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { unusedPort } from '../harness/unused-port.ts'

const program = fileURLToPath(new URL('../../src/inspector/main.ts', import.meta.url))

export const operatorOfServer = { email: 'anna@example.com', password: 'correct horse battery' }

/** A server that can be restarted, with an operator and a payment link. */
export const inspectedServer = async () => {
  await using stack = new AsyncDisposableStack()
  const db = stack.use(await database())
  const folder = stack.use(dataFolder())
  const env = {
    ...{ DATABASE_URL: db.url, DATA_DIR: folder.path, PORT: String(await unusedPort()) },
    SECRET_KEY: 'a secret key for tests and for nothing else',
  }
  let main = await startMain(env)
  const post = async (path: string, body: object, bearer = '') => {
    const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
    const answer = await fetch(`${main.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers })
    expect([path, answer.status]).toEqual([path, 201])
    return Object(await answer.json())
  }
  // The first account is an operator.
  const { accessToken, merchants } = await post('/v1/auth/sign-up', { ...operatorOfServer, merchantName: 'Lamps' })
  const key = await post(`/v1/merchants/${merchants[0].id}/api-keys`, { name: 'Shop', access: 'full' }, accessToken)
  const newLink = async (): Promise<string> =>
    (await post('/v1/payment-links', { amountMinor: 1000, currency: 'USD', title: 'MARKED' }, key.secret)).id
  const rest = stack.move()
  return {
    ...{ url: main.url, sql: db.sql, newLink },
    restart: async () => {
      main.child.kill('SIGKILL')
      await main.exited
      main = await startMain(env)
    },
    [Symbol.asyncDispose]: async () => {
      await main[Symbol.asyncDispose]()
      await rest.disposeAsync()
    },
  }
}

/** The program, with these lines as its input. */
export const startBridge = (args: readonly string[], input: readonly string[], page?: string) => {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH ?? '', ...(page && { INSPECTOR_PAGE: page }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      printed += text
    })
  const exited = new Promise<number | string>(resolve =>
    child.on('close', (code, signal) => resolve(signal ?? code ?? -1)),
  )
  child.stdin.write(input.map(line => `${line}\n`).join(''))
  return {
    ...{ child, exited, printed: () => printed },
    address: () => until(() => /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(printed)?.[0]),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
