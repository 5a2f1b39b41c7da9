import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { isAlive } from '../harness/embedded-parent.ts'
import { until } from '../harness/until.ts'

/** Deaf to being told to end for its first moments, as Postgres is until it has been loaded. */
const program = `
  process.on(process.argv[1], () => process.exit())
  setInterval(() => {}, 1000)`
const deaf = `trap '' INT QUIT; sleep 0.5; exec "$@"`

const keeper = (signal: string) => `
  import ${JSON.stringify(import.meta.resolve('../harness/end-with-parent.ts'))}
  import { openProcessGuard } from ${JSON.stringify(import.meta.resolve('../../src/postgres/process-guard.ts'))}
  const command = ['/bin/sh', '-c', ${JSON.stringify(deaf)}, '', process.execPath, '-e', ${JSON.stringify(program)}, 'SIG${signal}']
  const guard = openProcessGuard({ command, account: undefined, log: 2, signal: '${signal}', removing: undefined })
  console.log(await guard.pid)
  setInterval(() => {}, 1000)`

for (const signal of ['INT', 'QUIT'])
  test(`who is killed just when a program has been started takes it along, told by ${signal}`, async () => {
    const parent = spawn(process.execPath, ['-e', keeper(signal)], { stdio: ['pipe', 'pipe', 'ignore'] })
    const said = await new Promise<Buffer>(resolve => parent.stdout.once('data', resolve))
    const pid = Number(said)
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await until(() => !isAlive(pid), { timeoutMs: 10_000 }).finally(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))
  })
