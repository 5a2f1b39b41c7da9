import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/postgres/server.ts'
import { until } from '../harness/until.ts'

/** A Redis of its own that writes every change to the disk before it responds. */
export type Redis = AsyncDisposable & { readonly port: number }

/** Undefined where it is not installed. */
export const openRedis = async (): Promise<Redis | undefined> => {
  const program = Bun.which('redis-server')
  if (!program) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-bench-redis-'))
  const port = await freePort()
  const settings = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder, '--save', '', '--loglevel', 'warning']
  const child = Bun.spawn({
    cmd: ['sh', '-c', GUARD, folder, program, ...settings, '--appendonly', 'yes', '--appendfsync', 'always'],
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  await until(() => answers(port), { what: 'redis-server' })
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Its standard input ends with this process, also when that is killed; then the server and its folder are removed. */
const GUARD = '"$@" </dev/null & cat >/dev/null; kill -9 $!; wait; rm -rf "$0"'

const answers = async (port: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, bytes) => resolve(bytes.toString().startsWith('+PONG')),
      close: () => resolve(false),
      error: () => resolve(false),
    },
  }).catch(() => undefined)
  socket?.write('PING\r\n')
  if (!socket) return false
  const answered = await promise
  socket.end()
  return answered
}
