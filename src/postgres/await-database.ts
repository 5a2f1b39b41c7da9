import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { StartError } from '../process/start-error.ts'
import { connect } from './connect.ts'
import { requireOwnSessions } from './pooler.ts'

export type AwaitDatabaseOptions = {
  readonly say: (line: string) => void
  readonly stop: AbortSignal
  readonly timeoutMs?: number
}

/** Waits until the database of DATABASE_URL accepts connections. Throws a StartError if it cannot be used. */
export const awaitDatabase = async (
  url: string,
  { say, stop, timeoutMs = 30_000 }: AwaitDatabaseOptions,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs
  for (let isReported = false; ; isReported = true) {
    const fault = await tryDatabase(url)
    if (fault === undefined) break
    if (fault.refusal !== undefined) throw new StartError(`DATABASE_URL: ${fault.refusal}`)
    if (performance.now() > deadline)
      throw new StartError(`DATABASE_URL: the database does not respond (${fault.what})`)
    if (!isReported) say(`Waiting for the database (${fault.what})`)
    await sleep(500, undefined, { signal: stop })
  }
  await requireOwnSessions(url)
  await requireWritable(url)
}

/** Why a connection failed. `refusal` is set if waiting does not help. */
type Fault = { readonly what: string; readonly refusal?: string | undefined }

const tryDatabase = async (url: string): Promise<Fault | undefined> => {
  const sql = connect(url, { max: 1, name: 'paymachine start' })
  try {
    await sql`select 1`.simple()
    return undefined
  } catch (error) {
    if (error instanceof postgres.PostgresError) {
      const refusal = refusals.get(error.code)
      return { what: `${error.code}: ${error.message}`, refusal: refusal && `${refusal} (${error.message})` }
    }
    const code = (error as NodeJS.ErrnoException).code ?? 'no reason given'
    return { what: code, refusal: refusals.get(code) ?? (isTls(code) ? tlsRefusal(code) : undefined) }
  } finally {
    await sql.end({ timeout: 0 })
  }
}

const refusals = new Map([
  ['28P01', 'the database rejects this user and password'],
  ['28000', 'the database does not allow this user to connect'],
  ['3D000', 'the database with this name does not exist'],
  ['42501', 'this user has no permission to use the database'],
  ['TLS_REFUSED', 'the database does not support TLS: enable TLS there, or remove sslmode'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'the certificate of the database is for another host name: use that name, or sslmode=verify-ca',
  ],
])

/** The error codes of OpenSSL and the runtimes for a failed certificate check or handshake. */
const isTls = (code: string) => /^(ERR_(TLS|SSL|OSSL)_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)|HOSTNAME/.test(code)

const tlsRefusal = (code: string) =>
  `the certificate of the database is not trusted (${code}): set sslrootcert to the file of its certificate authority`

const requireWritable = async (url: string): Promise<void> => {
  const sql = connect(url, { max: 1, name: 'paymachine start' })
  try {
    const [row] = await sql<{ standby: boolean; off: string }[]>`
      select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') as off`
    if (row?.standby)
      throw new StartError('DATABASE_URL: this server is a read-only standby: use the address of the primary')
    if (row?.off === 'on')
      throw new StartError(
        'DATABASE_URL: the database is read-only: set default_transaction_read_only to off for this user and database',
      )
  } finally {
    await sql.end({ timeout: 0 })
  }
}
