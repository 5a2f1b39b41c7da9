import { parseArgs } from 'node:util'
import { databaseClock } from '../clock.ts'
import { openDeploymentChains } from '../deployment/chains.ts'
import { openDeploymentDatabase } from '../deployment/database.ts'
import { openDeploymentKeyring } from '../deployment/keyring.ts'
import { type Env, parseEnv } from '../env.ts'
import { kinds } from '../kinds/all.ts'
import { openLog } from '../log.ts'
import type { Sql } from '../postgres/connect.ts'
import { requireMigrated } from '../postgres/version.ts'
import { StartError } from '../process/start-error.ts'
import { audit } from './audit.ts'
import { type Comparison, compareChains } from './chain/compare.ts'
import { connectForAudit, PARALLEL } from './connection.ts'
import { openOwnRun } from './own-run.ts'
import { nameOf } from './record-run.ts'

const usage = `Usage: bun run audit [--chain]
  Checks every invariant of the database. With --chain, final transfers, refunds and balances are also compared with the
  chains, through the nodes in RPC_URLS_<chain ID>.`

/** `bun run audit`: checks the invariants of a running or stopped server. The exit code is 1 if one is broken. */
const main = async (args: readonly string[]): Promise<number> => {
  const options = readOptions(args)
  const env = parseEnv(process.env)
  await using database = await openDeploymentDatabase(env)
  const sql = connectForAudit(database.url)
  try {
    await requireMigrated(sql)
    const [size] = await sql<{ transitions: number; events: number }[]>`
      select (select count(*)::int from transitions) as transitions, (select count(*)::int from events) as events`
    const where = env.databaseUrl
      ? 'the database of DATABASE_URL'
      : `the database of a ${database.running ? 'running' : 'stopped'} server`
    console.log(`Auditing ${size?.transitions} transitions and ${size?.events} events, in ${where}`)
    const { findings, compared } = await runChecks(sql, env, { url: database.url, chain: options.chain })
    for (const { invariant, what, count, example } of findings)
      console.log(`${invariant} broken ${count} ×: ${what} (${example})`)
    for (const line of compared.notCompared) console.log(`Not compared: ${line}`)
    const isComplete = compared.notCompared.length === 0
    if (findings.length === 0 && isComplete) console.log('Clean: every invariant holds')
    if (findings.length > 0) console.log(`${findings.length} invariants are broken`)
    return findings.length === 0 && isComplete ? 0 : 1
  } finally {
    // An open connection would keep the process running.
    await sql.end({ timeout: 5 })
  }
}

/** Runs the checks, and records them as a run where that is possible. */
const runChecks = async (sql: Sql, env: Env, { url, chain }: { readonly url: string; readonly chain: boolean }) => {
  await using run = await openOwnRun(url)
  try {
    const keyring = await openDeploymentKeyring(sql, env)
    const found = await audit(sql, kinds, { keyring, parallel: PARALLEL, onChecked: run.onChecked })
    const compared: Comparison = chain ? await compareWithChains(sql, env) : { findings: [], notCompared: [] }
    for (const finding of compared.findings)
      run.add({ name: nameOf(finding), status: 'findings', count: finding.count, sample: finding.example })
    for (const name of compared.notCompared) run.add({ name, status: 'failed', count: 0, sample: null })
    const findings = [...found, ...compared.findings]
    const isComplete = compared.notCompared.length === 0
    await run.finish(findings.length > 0 ? 'findings' : isComplete ? 'clean' : 'failed')
    return { findings, compared }
  } catch (error) {
    await run.finish('failed')
    throw error
  }
}

const readOptions = (args: readonly string[]): { readonly chain: boolean } => {
  try {
    const { values } = parseArgs({ args: [...args], options: { chain: { type: 'boolean' } } })
    return { chain: values.chain === true }
  } catch {
    throw new StartError(usage)
  }
}

const compareWithChains = async (sql: Sql, env: Env): Promise<Comparison> => {
  const random = crypto.getRandomValues.bind(crypto)
  const chains = openDeploymentChains(env, { sql, clock: databaseClock(), random, log: openLog('silent') })
  try {
    return await compareChains(sql, chains)
  } finally {
    chains.close()
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
}
