import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../src/postgres/connect.ts'
import { dataFolder, readUrl } from '../harness/embedded-parent.ts'
import { startMain } from '../harness/main.ts'

const OWNER = { email: 'anna@lamps.shop', password: 'correct horse battery' }

type State = { readonly era: number; readonly held: boolean }

/** Starts a server with a data folder, and stops it after the work. */
const running = async (dataDir: string, email: 'sign-up' | 'sign-in'): Promise<State> => {
  await using server = await startMain({ DATA_DIR: dataDir })
  if (server.child.exitCode !== null) throw new Error(server.lines.join('\n'))
  const answer = await fetch(`${server.url}/v1/auth/${email}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ ...OWNER, ...(email === 'sign-up' && { merchantName: 'Lamps' }) }),
  })
  expect(await answer.json()).toMatchObject({ merchants: [{ name: 'Lamps' }] })
  const sql = connect(readUrl(dataDir), { max: 1 })
  const [state] = await sql<State[]>`
    select current_era() as era, is_on_hold(jsonb_populate_record(null::refund_signers, '{"era": 1}')) as held`
  await sql.end()
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  return state ?? { era: 0, held: false }
}

test('a copy of the data folder begins a new era, in which signers are on hold, and a folder that was only moved does not', async () => {
  await using folder = dataFolder()
  const [live, copy, moved] = ['live', 'copy', 'moved'].map(name => join(folder.path, name)) as [string, string, string]
  const before = await running(live, 'sign-up')
  expect(before).toEqual({ era: 1, held: false })
  execFileSync('cp', ['-a', live, copy])

  const restored = await running(copy, 'sign-in')
  expect(restored).toEqual({ era: 2, held: true })
  expect(await running(copy, 'sign-in')).toEqual(restored)

  renameSync(live, moved)
  expect(await running(moved, 'sign-in')).toEqual(before)
}, 120_000)
