import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runtimes } from './runtimes.ts'

const program = fileURLToPath(new URL('posts-program.ts', import.meta.url))

const run = (command: string, args: readonly string[]): Promise<string> => {
  const child = spawn(command, [...args, program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_USE_ENV_PROXY: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  })
  child.once('error', () => {})
  return text(child.stdout)
}

/** In parallel: most of the time they wait for receivers that do not respond. */
const outputs: readonly (readonly [string, Promise<string>])[] = [
  ['Bun', run(process.execPath, [])],
  ...Object.entries(runtimes).map(([name, args]) => [name, run('npx', args)] as const),
]

test.each([...outputs])(
  'on %s a webhook is sent, verified and ended in time, without a proxy and only to its receiver',
  async (name, output) => {
    const printed = await output
    if (printed === '') return console.warn(`${name} is not available: its tests are skipped`)
    expect(JSON.parse(printed.replace('running', '') || 'null')).toEqual({
      thanks: 'delivered 200',
      silent: 'timeout null',
      redirecting: 'redirect 302',
      endless: 'http_error 500',
      headers: 'bad_response null',
      dripping: 'timeout null',
      upgrading: 'http_error 101',
      hanging_up: 'connection_failed null',
      nonsense: 'bad_response null',
      connections: 1,
      untrusted: 'tls_failed',
      another_name: 'tls_failed',
      plain: 'delivered',
      forbidden: 'forbidden_address',
      verified: 'payment.succeeded',
    })
  },
  60_000,
)
