import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { connect as dial } from 'node:net'
import { fileURLToPath } from 'node:url'
import { events } from '../harness/events.ts'
import { until } from '../harness/until.ts'
import { runtimes } from './runtimes.ts'

const program = fileURLToPath(new URL('streams-program.ts', import.meta.url))

const start = async (args: readonly string[]) => {
  const child = spawn('npx', [...args, program], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const port = await new Promise<string>(resolve => {
    child.stdout.once('data', line => resolve(String(line).trim()))
    child.once('exit', () => resolve(''))
    child.once('error', () => resolve(''))
  })
  return {
    port,
    // npx runs in between.
    [Symbol.dispose]: () => void (child.pid !== undefined && child.exitCode === null && process.kill(-child.pid)),
  }
}

test.concurrent.each(Object.entries(runtimes))(
  'on %s streams send changes, end with the client and end with the server',
  async (name, args) => {
    using running = await start(args)
    if (running.port === '') return console.warn(`${name} is not available: its tests are skipped`)
    const at = `http://127.0.0.1:${running.port}`
    expect((await fetch(`${at}/cookies`)).headers.getSetCookie()).toEqual(['a=1', 'b=2'])

    const looks = async () => Number(await (await fetch(`${at}/looks`)).text())

    const first = await events(`${at}/stream`)
    const told = [await first.next(), await first.next(), await first.next()]
    expect(told.map(event => event?.id)).toEqual(told.map(event => String(Object(event?.data).looks)))
    expect(new Set(told.map(event => event?.id)).size).toBe(3)
    first.leave()
    const after = async () => {
      const before = await looks()
      await new Promise(resolve => setTimeout(resolve, 100))
      return (await looks()) - before
    }
    await until(async () => (await after()) === 0, { what: 'no queries without listeners' })

    const last = first.lastId()
    const second = await events(`${at}/stream`, { 'last-event-id': last })
    expect((await second.next())?.id).not.toBe(last)
    await fetch(`${at}/stop`)
    // Events in progress may come first; then the stream ends cleanly.
    while (await second.next());
  },
  60_000,
)

test.concurrent.each(Object.entries(runtimes))(
  'on %s a stream is pulled only as it is read, is canceled when its reader leaves, and a pipelined one is not started',
  async (name, args) => {
    using running = await start(args)
    if (running.port === '') return console.warn(`${name} is not available: its tests are skipped`)
    const flooded = async () =>
      (await (await fetch(`http://127.0.0.1:${running.port}/flooded`)).json()) as Record<
        'begun' | 'megabytes' | 'left',
        number
      >
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

    const socket = dial(Number(running.port), '127.0.0.1').pause()
    // The first stream never ends.
    socket.write(ask('/flood').repeat(1_000))
    let last = -1
    await until(
      async () => {
        const before = last
        last = (await flooded()).megabytes
        return last > 1 && last === before
      },
      { everyMs: 200, what: 'no more pulls' },
    )
    expect(last).toBeLessThan(50)
    socket.destroy()
    await until(async () => (await flooded()).left === 1, { what: 'the stream to be canceled' })
    expect((await flooded()).begun).toBe(1)
  },
  60_000,
)
