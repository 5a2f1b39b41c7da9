import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from '../env.ts'
import { kinds } from '../kinds/all.ts'
import { connect } from '../postgres/connect.ts'
import { startEmbedded, urlFile } from '../postgres/embedded.ts'
import { StartError } from '../start-error.ts'
import { audit } from './audit.ts'

/** `bun run audit`: asks a running or a stopped house whether its promises are kept. Ends with 1 if one is not. */
const main = async (): Promise<number> => {
  const env = parseEnv(process.env)
  await using database = env.databaseUrl ? running(env.databaseUrl) : await embedded(env.dataDir)
  const sql = connect(database.url, { max: 2, name: 'paymachine audit' })
  const [size] = await sql<{ transitions: number; events: number }[]>`
    select (select count(*)::int from transitions) as transitions, (select count(*)::int from events) as events`
  console.log(`Auditing ${size?.transitions} transitions and ${size?.events} events, ${database.state}`)
  const findings = await audit(sql, kinds)
  await sql.end()
  for (const { invariant, what, count, example } of findings)
    console.log(`${invariant} broken ${count} ×: ${what} (${example})`)
  console.log(findings.length === 0 ? 'Clean: every invariant holds' : `${findings.length} invariants are broken`)
  return findings.length === 0 ? 0 : 1
}

type Audited = AsyncDisposable & { readonly url: string; readonly state: string }

const running = (url: string): Audited => ({
  url,
  state: 'in the database given',
  [Symbol.asyncDispose]: async () => {},
})

/** Beside the house that is running on it, or with the server started for as long as this takes. */
const embedded = async (dataDir: string): Promise<Audited> => {
  const file = urlFile(dataDir)
  if (existsSync(file)) {
    const url = readFileSync(file, 'utf8').trim()
    if (await answers(url)) return { ...running(url), state: 'in a running house' }
  } else
    throw new StartError(`${dataDir} holds no house yet: start one, or set DATA_DIR or DATABASE_URL to where it is`)
  const server = await startEmbedded({ dataDir })
  return { url: server.url, state: 'in a stopped house', [Symbol.asyncDispose]: () => server.stop() }
}

const answers = async (url: string): Promise<boolean> => {
  const sql = connect(url, { max: 1, name: 'paymachine audit' })
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
}
