import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/postgres/connect.ts'
import { accountFor, identity } from '../../src/process/account.ts'
import { until } from './until.ts'
import { unusedPort } from './unused-port.ts'

export const hasPgBouncer = Bun.which('pgbouncer') !== null

/** A PgBouncer before a database, with its own defaults except for the mode and the given lines. */
export const pgBouncer = async (databaseUrl: string, mode: string, lines: readonly string[] = []) => {
  // Another test may take a port between its choice and its use.
  for (let i = 0; i < 3; i++) {
    const pooler = await startPgBouncer(databaseUrl, mode, lines)
    if (pooler.isRunning()) return pooler
    await pooler[Symbol.asyncDispose]()
  }
  throw Error('PgBouncer does not start')
}

const startPgBouncer = async (databaseUrl: string, mode: string, lines: readonly string[]) => {
  const url = new URL(databaseUrl)
  const port = await unusedPort()
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'users'), `"${url.username}" "${url.password}"\n`)
  const config = [
    ...['[databases]', `* = host=127.0.0.1 port=${url.port}`, '[pgbouncer]', `pool_mode = ${mode}`],
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = trust'],
    ...[`auth_file = ${join(folder, 'users')}`, ...lines, ''],
  ]
  writeFileSync(join(folder, 'config'), config.join('\n'))
  const child = spawn('pgbouncer', ['-q', join(folder, 'config')], {
    // PgBouncer refuses to run as root.
    ...identity(accountFor(tmpdir())),
    cwd: '/',
    stdio: 'ignore',
  })
  const exited = new Promise(resolve => child.once('close', resolve))
  url.port = String(port)
  const isRunning = () => child.exitCode === null
  await until(async () => (await isListening(port)) || !isRunning(), { what: 'PgBouncer' })
  // Another process may be what listens: then this one ends.
  await sleep(100)
  return {
    url: url.href,
    isRunning,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** Behaves like a transaction pooler, for a machine without PgBouncer: one session runs the statements of all clients. */
export const standInPooler = async (databaseUrl: string) => {
  const shared = connect(databaseUrl, { max: 1 })
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    let isOpen = false
    socket.on('data', async chunk => {
      if (!isOpen) {
        isOpen = true
        return void socket.write(Buffer.concat([message('R', int32(0)), READY]))
      }
      if (chunk.toString('latin1', 0, 1) !== 'Q') return void socket.destroy()
      const rows = await shared.unsafe(chunk.toString('utf8', 5, chunk.length - 1)).simple()
      const names = Object.keys(rows[0] ?? {})
      const fields = names.map(name => Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(18)]))
      const values = rows.flatMap(row => Object.values(row)).map(value => Buffer.from(String(value)))
      const data = values.flatMap(value => [int32(value.length), value])
      socket.write(
        Buffer.concat([
          message('T', int16(names.length), ...fields),
          message('D', int16(names.length), ...data),
          message('C', Buffer.from('SELECT 1\0')),
          READY,
        ]),
      )
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
      await shared.end({ timeout: 1 })
    },
  }
}

const int16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const message = (type: string, ...parts: readonly Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

const READY = message('Z', Buffer.from('I'))
