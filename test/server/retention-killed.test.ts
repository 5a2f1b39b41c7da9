import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { blockStatement } from '../chain/watch/block-statement.ts'
import { endSessions, startProgram } from '../commands/killed-program.ts'
import { until } from '../harness/until.ts'
import { AGES, agedInstance, bodies } from './aged-deliveries.ts'
import { countIn, runRetention } from './retaining.ts'

type Instance = Awaited<ReturnType<typeof agedInstance>>

const start = ({ url }: Instance) => startProgram('../server/retention-program.ts', [url])

/** A process that drops old records, whose statement is interrupted. */
const interrupt = async (instance: Instance, where: string, whose: 'process' | 'session') => {
  const block = await blockStatement(instance.url, where)
  const program = start(instance)
  await block.isBlocking()
  if (whose === 'process') await program.kill()
  const [ended] = await instance.sql<{ count: number }[]>`
    select count(pg_terminate_backend(pid))::integer as count from pg_stat_activity
    where datname = current_database() and application_name = 'retention'`
  expect(ended?.count).toBe(1)
  if (whose === 'session') {
    // It connects again and goes on to the same statement, so it dropped nothing twice.
    await block.isBlocking()
    await program.kill()
    await endSessions(instance, 'retention')
  }
  await block[Symbol.asyncDispose]()
}

const partsOf = async ({ sql }: Instance) => [
  ...(await sql<{ part: string; age: number; dropped: number }[]>`
    select part, (now() at time zone 'UTC')::date - day as age, dropped::integer as dropped from dropped_parts order by part, day`),
]

const isDone = async (instance: Instance) =>
  (await countIn(instance, 'retention_progress', 'completed_at is not null and held is null')) === 3

/** Goes on until nothing is left to drop. */
const finish = async (instance: Instance) => {
  const program = start(instance)
  await until(() => isDone(instance))
  await program.kill()
  await endSessions(instance, 'retention')
}

const statementsOf = {
  attempt_bodies: ['update on delivery_attempts', 'insert on dropped_parts', 'update on retention_progress'],
  deliveries: [
    ...['update on machine_states', 'insert on dropped_parts', 'update on retention_progress', 'delete on transitions'],
    ...['insert on dropped_places', 'delete on delivery_attempts', 'delete on deliveries'],
  ],
}

const onlyBodies = { retainDays: { attemptBodies: 30, deliveries: undefined, history: undefined } }

test.each(['process', 'session'] as const)(
  'a %s that ends at any statement has dropped parts as a whole, and each is recorded once',
  async whose => {
    await using instance = await agedInstance()
    const interruptAt = async (statement: string) => {
      await interrupt(instance, `before ${statement} for each statement`, whose)
      expect([statement, await audit(instance.sql, kinds)]).toEqual([statement, []])
    }
    // After a lost session the process goes on with the next part, so only the last part is certain to be interrupted.
    if (whose === 'process') for (const statement of statementsOf.attempt_bodies) await interruptAt(statement)
    else await runRetention(instance, onlyBodies)
    for (const statement of statementsOf.deliveries) await interruptAt(statement)
    await finish(instance)
    expect(await countIn(instance, 'delivery_attempts', bodies)).toBe(2 * 2)
    // Those of the deliveries are dropped before the deliveries are.
    expect(await partsOf(instance)).toEqual([
      ...AGES.slice(0, 7).map(age => ({ part: 'attempt_bodies', age, dropped: 2 })),
      ...AGES.slice(0, 5).map(age => ({ part: 'deliveries', age, dropped: 1 })),
    ])
    expect(await audit(instance.sql, kinds)).toEqual([])
  },
)

test.each(['attempt_bodies', 'deliveries', 'history'])(
  'a process that ends while it records that %s are done changes nothing that was dropped',
  async part => {
    await using instance = await agedInstance()
    await finish(instance)
    const before = await partsOf(instance)
    const [progress] =
      await instance.sql`select era, xid::text as xid, seq, step, dropped from retention_progress where part = ${part}`
    for (const whose of ['process', 'session'] as const) {
      await instance.sql`update retention_progress set completed_at = null, held = 'failed' where part = ${part}`
      await interrupt(instance, 'before update on retention_progress for each row', whose)
      expect(await isDone(instance)).toBe(false)
      await finish(instance)
    }
    expect(await partsOf(instance)).toEqual(before)
    expect(
      await instance.sql`select era, xid::text as xid, seq, step, dropped from retention_progress where part = ${part}`,
    ).toEqual([progress] as never)
    expect(await audit(instance.sql, kinds)).toEqual([])
  },
)
