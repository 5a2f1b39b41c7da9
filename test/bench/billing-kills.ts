import process from 'node:process'
import type { Services } from '../../src/actors/services.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { areNumbered, insertDrafts } from './billing-drafts.ts'
import type { FinalizeSizes } from './billing-finalize.ts'
import { startProgram } from './program.ts'
import { thousands } from './promises.ts'

type KilledSizes = Pick<FinalizeSizes, 'invoices' | 'issuers' | 'kills'> & { readonly databaseUrl: string }

/** By turns the process is killed, and the database ends all of its sessions in the middle of their statements. */
export const promiseKilledFinalizations = async (
  { print, report }: Bench,
  services: Services,
  { invoices, issuers, kills, databaseUrl }: KilledSizes,
): Promise<void> => {
  const { sql } = services
  const { merchantId } = await insertDrafts(services, invoices)
  const start = () => startProgram('../commands/finalizing-program.ts', databaseUrl, merchantId, String(issuers))
  const issued = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from invoices where merchant_id = ${merchantId} and sequence is not null`
    return row?.count ?? 0
  }
  let program = await start()
  let interrupted = 0
  for (let kill = 1; kill <= kills; kill++) {
    const wanted = Math.floor((invoices * kill) / (kills + 1))
    await until(async () => (await issued()) >= wanted, { timeoutMs: 120_000, everyMs: 5, what: `${wanted} invoices` })
    const endsSessions = kill % 2 === 0
    if (endsSessions)
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'finalizing'`
    else {
      process.kill(program.pid, 'SIGKILL')
      await program.exited
      program = await start()
    }
    const count = await issued()
    if (count < invoices) interrupted++
    print(`kill ${kill} of ${endsSessions ? 'the sessions' : 'the process'} after ${thousands(count)} invoices`)
  }
  await program.exited
  // A request whose answer was lost is not repeated by the program.
  program = await start()
  await program.exited
  const kept = (await areNumbered(sql, merchantId, invoices)) && interrupted === kills
  report.judge(
    `${thousands(invoices)} invoices over ${kills} kills of process or database, numbers 1, 2, 3 … in the order of time`,
    kept,
    `${thousands(await issued())} finalized, ${interrupted} kills before the last`,
    `${thousands(invoices)}, each number once`,
  )
}
