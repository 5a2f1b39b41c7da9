import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { isAlive } from '../harness/embedded-parent.ts'
import { until } from '../harness/until.ts'

/** Ignores signals for its first moments, as Postgres does until it is loaded. */
const program = `
  process.on(process.argv[1], () => process.exit())
  setInterval(() => {}, 1000)`
const ignoringSignals = `trap '' INT QUIT; sleep 0.5; exec "$@"`

const keeper = (signal: string) => `
  import ${JSON.stringify(import.meta.resolve('../harness/end-with-parent.ts'))}
  import { openProcessGuard } from ${JSON.stringify(import.meta.resolve('../../src/postgres/process-guard.ts'))}
  const command = ['/bin/sh', '-c', ${JSON.stringify(ignoringSignals)}, '', process.execPath, '-e', ${JSON.stringify(program)}, 'SIG${signal}']
  const guard = openProcessGuard({ command, account: undefined, log: 2, signal: '${signal}', removing: undefined })
  console.log(await guard.pid)
  setInterval(() => {}, 1000)`

for (const signal of ['INT', 'QUIT'])
  test(`a process killed right after it has started a program ends it by ${signal}`, async () => {
    const parent = spawn(process.execPath, ['-e', keeper(signal)], { stdio: ['pipe', 'pipe', 'ignore'] })
    const said = await new Promise<Buffer>(resolve => parent.stdout.once('data', resolve))
    const pid = Number(said)
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await until(() => !isAlive(pid), { timeoutMs: 10_000 }).finally(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))
  })
