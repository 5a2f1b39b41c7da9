import { expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Sql } from '../../src/postgres/connect.ts'
import { tasksOf } from '../../tasks/all.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { database } from '../harness/database.ts'
import { startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { everyActor, subjects } from '../kinds/subjects.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('a worker has every task for which jobs are added, and no other', async () => {
  await using db = await database()
  const { sql } = db
  await using _worker = await startMain({ DATABASE_URL: db.url, SECRET_KEY, ROLE: 'worker' })
  // It logs all its tasks before it polls for its first job.
  const taken = await until(async () => {
    const tasks = await sql<{ name: string }[]>`select identifier as name from graphile_worker._private_tasks`
    return tasks.length > 0 && tasks.map(({ name }) => name)
  })
  const { tasks, handedOn } = await readAsked(sql)
  expect(taken.sort()).toEqual([...new Set([...tasks, ...ofEffects()])].sort())
  // Where no task is named, the jobs come from a batch of commands or attempts: the effects of kinds.
  expect(handedOn.sort()).toEqual(['ask_for_jobs', 'commit_actors', 'record_attempts'])
})

test('each task is a file with its name', async () => {
  const listed = Object.keys(tasksOf({ sender: { wake: () => {} }, sign: async () => {}, audit: async () => {} }))
  const files = (await readdir(`${root}tasks`)).filter(file => file !== 'all.ts')
  expect(listed.map(name => `${name}.ts`).sort()).toEqual(files.sort())
})

/** The tasks that the effects of all kinds request, for every actor in the machines' tests. */
const ofEffects = (): string[] =>
  subjects.flatMap(({ kind, subject }) =>
    everyActor(kind, subject).flatMap(actor =>
      Object.values(kind.effects ?? {}).flatMap(
        effect => effect(actor, {}, { id: 'x', at: actor.updatedAt })?.task ?? [],
      ),
    ),
  )

/** In SQL, by the library, or in the result of an effect; with the task, if it is named. */
const asking = /\b(?:(?:add_jobs?|ask_for_jobs|addJobs?|quickAddJob)\s*\((?:\s*'([\w-]+)')?|task: '([\w-]+)')/g

/** Every task that a database function or a module of the program names, and the modules that request one without a name. */
const readAsked = async (sql: Sql): Promise<{ tasks: string[]; handedOn: string[] }> => {
  const functions = await sql<{ name: string; text: string }[]>`
    select proname::text as name, prosrc as text from pg_proc where pronamespace = current_schema()::regnamespace`
  const paths = (await Promise.all(['machines', 'src', 'tasks'].map(modulesIn))).flat()
  const modules = await Promise.all(
    paths.map(async path => ({ name: path, text: await readFile(root + path, 'utf8') })),
  )
  const found = [...functions, ...modules].flatMap(({ name, text }) =>
    [...text.matchAll(asking)].map(([, added, answered]) => ({ name, task: added ?? answered })),
  )
  return {
    tasks: found.flatMap(({ task }) => task ?? []),
    handedOn: found.filter(({ task }) => task === undefined).map(({ name }) => name),
  }
}

/** What runs in a browser requests no job, and what describes records neither. */
const modulesIn = async (folder: string): Promise<string[]> =>
  (await readdir(root + folder, { recursive: true }))
    .map(path => `${folder}/${path}`)
    .filter(path => path.endsWith('.ts') && !/^src\/(web|records)\//.test(path))
