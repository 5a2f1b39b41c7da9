import { parseEnv } from '../env.ts'
import { kinds } from '../kinds/all.ts'
import { connect } from '../postgres/connect.ts'
import { visitDatabase } from '../postgres/visit.ts'
import { StartError } from '../start-error.ts'
import { audit } from './audit.ts'

/** `bun run audit`: asks a running or a stopped house whether its promises are kept. Ends with 1 if one is not. */
const main = async (): Promise<number> => {
  const env = parseEnv(process.env)
  await using database = await visitDatabase(env)
  const sql = connect(database.url, { max: 2, name: 'paymachine audit' })
  try {
    const [size] = await sql<{ transitions: number; events: number }[]>`
      select (select count(*)::int from transitions) as transitions, (select count(*)::int from events) as events`
    const where = env.databaseUrl ? 'the database given' : `a ${database.running ? 'running' : 'stopped'} house`
    console.log(`Auditing ${size?.transitions} transitions and ${size?.events} events, in ${where}`)
    const findings = await audit(sql, kinds)
    for (const { invariant, what, count, example } of findings)
      console.log(`${invariant} broken ${count} ×: ${what} (${example})`)
    console.log(findings.length === 0 ? 'Clean: every invariant holds' : `${findings.length} invariants are broken`)
    return findings.length === 0 ? 0 : 1
  } finally {
    // Left open it would keep this process, which has nothing more to do.
    await sql.end({ timeout: 5 })
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
}
