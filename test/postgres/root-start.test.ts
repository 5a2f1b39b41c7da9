import { expect, test } from 'bun:test'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/postgres/embedded.ts'
import { can, isRoot } from '../../src/process/account.ts'
import { dataFolder, homeOf, killGuard, postmaster, readUrl, run, startParent } from '../harness/embedded-parent.ts'
import { spawnMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'

// A file that root opens in the folder of another user could be a link to any file of the machine.
const asRoot = test.if(isRoot())
const ordinary = 65_534
const nobody = { name: 'nobody', uid: ordinary, gid: ordinary }
const asBoth = test.if(
  isRoot() && can(nobody, process.execPath, '--version') && can(nobody, 'test', '-r', import.meta.path),
)

for (const place of ['in the data folder', 'elsewhere'])
  asRoot(`links made by the user of Postgres do not make root change other files: ${place}`, async () => {
    await using closed = closedFolder()
    await using folder = dataFolder(place === 'elsewhere' ? closed.path : undefined)
    using otherFile = fileOfRoot()
    const { stop } = await startEmbedded({ dataDir: folder.path })
    const account = accountOf(folder.path)
    await stop()
    for (const name of ['start.log', 'lock', 'lock.pid'])
      plantLink(join(homeOf(folder.path), name), otherFile.path, account)
    await startEmbedded({ dataDir: folder.path }).then(
      each => each.stop(),
      () => {},
    )
    expect(otherFile.state()).toEqual(otherFile.before)
  })

asRoot('a link named postmaster.pid made by the user of Postgres does not make root change other files', async () => {
  await using folder = dataFolder()
  using otherFile = fileOfRoot()
  const { stop } = await startEmbedded({ dataDir: folder.path })
  const account = accountOf(folder.path)
  await stop()
  plantLink(join(homeOf(folder.path), 'cluster/postmaster.pid'), otherFile.path, account)
  const started = await startEmbedded({ dataDir: folder.path }).catch(() => undefined)
  await started?.stop()
  expect(otherFile.state()).toEqual(otherFile.before)
})

asRoot('a process id written by the user of Postgres does not make root end processes of other users', async () => {
  await using folder = dataFolder()
  const parent = await startParent(folder.path)
  const pid = postmaster(folder.path)
  killGuard(pid)
  process.kill(pid, 'SIGKILL')
  parent.kill('SIGKILL')
  await until(() => parent.signalCode)
  const cluster = join(homeOf(folder.path), 'cluster')
  const otherProcess = spawn('sleep', ['100'], { cwd: cluster, stdio: 'ignore' })
  const pidFile = join(cluster, 'postmaster.pid')
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(otherProcess.pid)))
  const { url, stop } = await startEmbedded({ dataDir: folder.path })
  expect(await run(url, 'select 1 as one')).toHaveLength(1)
  expect([otherProcess.exitCode, otherProcess.signalCode]).toEqual([null, null])
  await stop()
  otherProcess.kill()
})

test('the role of the service is no superuser and runs no programs', async () => {
  await using folder = dataFolder()
  const { url, stop } = await startEmbedded({ dataDir: folder.path })
  const [role] = await run(
    url,
    `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more
     from pg_roles where rolname = current_user`,
  )
  expect(role).toEqual({ more: false })
  const copied = join(folder.path, 'copied')
  for (const statement of [
    `copy (select 'x') to program 'cat > ${copied}'`,
    `copy (select 'x') to '${copied}'`,
    `select pg_read_file('/etc/passwd')`,
    `alter role current_user superuser`,
    `set role postgres`,
  ])
    await expect(run(url, statement)).rejects.toMatchObject({ code: '42501' })
  expect(existsSync(copied)).toBe(false)
  await stop()
})

asRoot('started by root, Postgres runs as a user that runs no other Postgres', async () => {
  await using folder = dataFolder()
  const { stop } = await startEmbedded({ dataDir: folder.path })
  const pid = String(postmaster(folder.path))
  expect(ask('stat', '-c', '%U', `/proc/${pid}`)).toBe('paymachine')
  await stop()
})

asRoot('in a database folder the user of Postgres owns only the cluster and its logs', async () => {
  await using folder = dataFolder()
  const { stop } = await startEmbedded({ dataDir: folder.path })
  const { uid } = accountOf(folder.path)
  const owned = ask('find', homeOf(folder.path), '-maxdepth', '1', '-uid', String(uid), '-printf', '%f\n').split('\n')
  expect(owned.sort()).toEqual(['cluster', 'log'])
  await stop()
})

asRoot(
  'root does not start in a data folder that others can write to, or with a database folder of another user',
  async () => {
    await using open = dataFolder()
    chmodSync(open.path, 0o777)
    await expect(startEmbedded({ dataDir: open.path })).rejects.toThrow(
      `${open.path} can be written to by other users: remove that permission with chmod go-w, or start as an ordinary user`,
    )
    await using foreign = dataFolder()
    await startEmbedded({ dataDir: foreign.path }).then(({ stop }) => stop())
    const home = homeOf(foreign.path)
    chownSync(home, ordinary, ordinary)
    await expect(startEmbedded({ dataDir: foreign.path })).rejects.toThrow(
      `${home} belongs to user nobody, and root does not use folders of other users: give it to root, or start as that user`,
    )
  },
)

asBoth('started by root in a data folder of an ordinary user, the service runs as that user', async () => {
  await using folder = dataFolder(tmpdir(), ordinary)
  using otherFile = fileOfRoot()
  for (const name of ['lock', 'lock.pid', 'database-url', 'database-url.new', 'secret-key.new'])
    plantLink(join(folder.path, name), otherFile.path, nobody)
  await using refused = await spawnMain({ DATA_DIR: folder.path })
  expect(await refused.exited).toBe(1)
  expect(otherFile.state()).toEqual(otherFile.before)

  for (const name of ['lock', 'lock.pid', 'database-url']) rmSync(join(folder.path, name), { force: true })
  await using main = await spawnMain({ DATA_DIR: folder.path })
  await until(async () => (await main.get('/readyz'))?.status === 200 || main.child.exitCode !== null)
  expect(main.lines).toEqual([`Continuing as user nobody, who owns ${folder.path}`, `Ready at ${main.url}`])
  expect(readFileSync(`/proc/${main.child.pid}/status`, 'utf8')).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
  expect(statSync(`/proc/${postmaster(folder.path)}`).uid).toBe(ordinary)
  expect(otherFile.state()).toEqual(otherFile.before)
  expect(readUrl(folder.path)).toStartWith('postgres://')
})

type Owner = { readonly uid: number; readonly gid: number }

/** The owner of the cluster in a data folder. */
const accountOf = (dataDir: string): Owner => {
  const { uid, gid } = statSync(join(homeOf(dataDir), 'cluster'))
  return { uid, gid }
}

/** Created as that user; where it has no permission, nothing is created. */
const plantLink = (path: string, target: string, { uid, gid }: Owner) =>
  spawnSync('ln', ['-sfn', target, path], { uid, gid, cwd: '/', stdio: 'ignore' })

const fileOfRoot = () => {
  const folder = mkdtempSync(join(tmpdir(), 'paymachine-test-'))
  chmodSync(folder, 0o711)
  const path = join(folder, 'victim')
  // Like the pid file of a running process.
  writeFileSync(path, '1\nonly root writes here\n', { mode: 0o600 })
  const state = () => {
    const { uid, mode } = statSync(path)
    return { uid, mode, text: readFileSync(path, 'utf8') }
  }
  return { path, state, before: state(), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

const closedFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'paymachine-closed-'))
  chmodSync(path, 0o700)
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true }) }
}

const ask = (program: string, ...args: readonly string[]) => execFileSync(program, args, { encoding: 'utf8' }).trim()
