import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dataFolder } from './embedded-parent.ts'

test('three Postgres servers can start at the same time on a machine without a cached cluster', async () => {
  await using machine = dataFolder(tmpdir())
  const script = `
    import { postgresServer } from ${JSON.stringify(import.meta.resolve('./server.ts'))}
    await using servers = new AsyncDisposableStack()
    const started = await Promise.all([postgresServer(), postgresServer(), postgresServer()])
    for (const server of started) servers.use(server)
    console.log(new Set(started.map(({ pid }) => pid)).size)`
  const env = { ...process.env, TMPDIR: machine.path }
  expect(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8', timeout: 30_000 })).toBe('3\n')
})
