import { expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { startEmbedded, urlFile } from '../../src/postgres/embedded.ts'
import { findPostmaster } from '../../src/postgres/server.ts'
import {
  dataFolder,
  isAlive,
  killGuard,
  postmaster,
  readUrl,
  run,
  spawnParent,
  startParent,
  usedFolder,
} from '../harness/embedded-parent.ts'
import { until } from '../harness/until.ts'

test('data is kept over a restart, at the same address', async () => {
  await using folder = dataFolder()
  const dataDir = folder.path
  const first = await startEmbedded({ dataDir })
  await run(first.url, 'create table kept as select 1 as id')
  await first.stop()
  const second = await startEmbedded({ dataDir })
  expect(await run(second.url, 'select id from kept')).toEqual([{ id: 1 }])
  expect(second.url).toBe(first.url)
  await second.stop()
})

test('connecting needs the password, which only its owner can read', async () => {
  await using folder = dataFolder()
  const dataDir = folder.path
  const { url, stop } = await startEmbedded({ dataDir })
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(run(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')
  expect(readUrl(dataDir)).toBe(url)
  for (const file of [urlFile(dataDir), join(dataDir, 'postgres', 'password')])
    expect(statSync(file).mode & 0o77).toBe(0)
  await stop()
})

test('clients that require 4,096 rounds of SCRAM can connect', async () => {
  await using folder = dataFolder()
  const { url, stop } = await startEmbedded({ dataDir: folder.path })
  // Bun's own client refuses fewer rounds.
  const sql = new Bun.SQL(url, { max: 1 })
  expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
  await sql.end()
  await stop()
})

test('the server listens only on loopback, whatever address its role connects from', async () => {
  await using folder = await usedFolder()
  const { url, stop } = await startEmbedded({ dataDir: folder.path })
  const [row] = await run(
    url,
    `select current_setting('listen_addresses') as tcp, current_setting('unix_socket_directories') as sockets`,
  )
  expect(row).toEqual({ tcp: '127.0.0.1', sockets: '' })
  const port = Number(new URL(url).port)
  for (const host of ['127.0.0.2', ...ownAddresses()]) {
    const refused = new Promise(resolve => connect({ host, port }, () => resolve('open')).once('error', resolve))
    expect(await refused).toMatchObject({ code: 'ECONNREFUSED' })
  }
  await expect(run(url, `alter system set listen_addresses = '*'`)).rejects.toMatchObject({ code: '42501' })
  await stop()
})

/** The addresses of this machine in its networks. */
const ownAddresses = () =>
  Object.values(networkInterfaces()).flatMap(each =>
    (each ?? []).filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
  )

test('commits are flushed to the disk', async () => {
  await using folder = await usedFolder()
  const { url, stop } = await startEmbedded({ dataDir: folder.path })
  const [row] = await run(
    url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits`,
  )
  expect(row).toEqual({ fsync: 'on', commits: 'on' })
  await stop()
})

test('a server that dies is restarted at the same address', async () => {
  await using folder = await usedFolder()
  const dataDir = folder.path
  const logged: string[] = []
  const { url, stop } = await startEmbedded({ dataDir, say: line => logged.push(line) })
  await run(url, 'create table kept as select 1 as id')
  process.kill(postmaster(dataDir), 'SIGKILL')
  await until(() => run(url, 'select id from kept').catch(() => undefined))
  expect(logged).toEqual(['Postgres has stopped unexpectedly and is being restarted'])
  await stop()
})

test('the server ends with its killed parent', async () => {
  await using folder = await usedFolder()
  const dataDir = folder.path
  const parent = await startParent(dataDir)
  expect(isAlive(postmaster(dataDir))).toBe(true)
  parent.kill('SIGKILL')
  await until(() => findPostmaster(join(dataDir, 'postgres')) === undefined)
})

test('a server whose parent and guard were killed together is taken over without loss', async () => {
  await using folder = await usedFolder()
  const dataDir = folder.path
  const parent = await startParent(dataDir)
  const orphan = postmaster(dataDir)
  await run(readUrl(dataDir), 'create table kept as select 1 as id')
  killGuard(orphan)
  parent.kill('SIGKILL')
  await until(() => !isAlive(parent.pid))
  expect(isAlive(orphan)).toBe(true)
  const { url, stop } = await startEmbedded({ dataDir })
  expect(postmaster(dataDir)).not.toBe(orphan)
  expect(await run(url, 'select id from kept')).toEqual([{ id: 1 }])
  await stop()
})

test('a pid file with the process id of another program does not prevent the start', async () => {
  await using folder = await usedFolder()
  const dataDir = folder.path
  const parent = await startParent(dataDir)
  const pid = postmaster(dataDir)
  killGuard(pid)
  process.kill(pid, 'SIGKILL')
  parent.kill('SIGKILL')
  await until(() => findPostmaster(join(dataDir, 'postgres')) === undefined && parent.signalCode)
  // As after a restart of a container, where process ids start again.
  const otherProgram = spawn('sleep', ['100'], { stdio: 'ignore' })
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(otherProgram.pid)))
  const { url, stop } = await startEmbedded({ dataDir })
  expect(await run(url, 'select 1 as one')).toHaveLength(1)
  expect(otherProgram.exitCode).toBeNull()
  await stop()
  otherProgram.kill()
})

test('a port in use is not taken over, and the new port is kept', async () => {
  await using folder = await usedFolder()
  const dataDir = folder.path
  const first = await startEmbedded({ dataDir })
  await first.stop()
  const portUser = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
  await new Promise(resolve => portUser.once('listening', resolve))
  const second = await startEmbedded({ dataDir })
  expect(second.url).not.toBe(first.url)
  expect(await run(second.url, 'select 1 as one')).toHaveLength(1)
  await second.stop()
  portUser.close()
  const third = await startEmbedded({ dataDir })
  expect(third.url).toBe(second.url)
  await third.stop()
})

test('a second start gets the process id of the first, which continues', async () => {
  await using folder = await usedFolder()
  const dataDir = folder.path
  const parent = await startParent(dataDir)
  await expect(startEmbedded({ dataDir })).rejects.toThrow(`${dataDir} is in use by pid ${parent.pid}`)
  expect(await run(readUrl(dataDir), 'select 1 as one')).toHaveLength(1)
})

test('of ten simultaneous first starts one succeeds', async () => {
  await using folder = dataFolder()
  const dataDir = folder.path
  const parents = Array.from({ length: 10 }, () => spawnParent(dataDir))
  await until(() => parents.filter(parent => parent.exitCode === 1).length === 9, { timeoutMs: 30_000 })
  await until(() => readdirSync(dataDir).includes('database-url'))
  expect(await run(readUrl(dataDir), 'select 1 as one')).toHaveLength(1)
})

test('a first start that was killed does not disturb the next one', async () => {
  await using folder = dataFolder()
  const parent = spawnParent(folder.path)
  const unfinished = () => readdirSync(folder.path).filter(name => name.startsWith('postgres.making'))
  await until(() => unfinished().length > 0)
  parent.kill('SIGKILL')
  await until(() => parent.signalCode)
  for (const round of ['while its initdb goes on', 'later']) {
    const { url, stop } = await startEmbedded({ dataDir: folder.path })
    expect(await run(url, `select '${round}' as round`)).toEqual([{ round }])
    await stop()
    await until(() => spawnSync('pgrep', ['-f', `initdb.*${folder.path}`]).status === 1, { what: 'the end of initdb' })
  }
  expect(unfinished()).toEqual([])
})
