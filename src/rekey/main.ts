import { parseEnv } from '../env.ts'
import { type Keyring, openKeyring } from '../keyring.ts'
import { connect } from '../postgres/connect.ts'
import { visitDatabase } from '../postgres/visit.ts'
import { getSecretKey, hasSecretKey, renewSecretKey } from '../secret-key.ts'
import { StartError } from '../start-error.ts'
import { keyringOf } from './own-keyring.ts'
import { rekey } from './rekey.ts'
import { sealedColumns } from './sealed-columns.ts'

/**
 * `bun run rekey`: everything stored sealed is sealed anew under SECRET_KEY, while houses run that know
 * it and the one before. A data folder that keeps its own key gets a new one, with its house stopped:
 * a running one would not know it.
 */
const main = async (): Promise<boolean> => {
  const env = parseEnv(process.env)
  await using database = await visitDatabase(env)
  // One that was made now would open nothing.
  if (!hasSecretKey(env))
    throw new StartError(`${env.dataDir} holds no secret key any more: put back the one that was there`)
  if (env.secretKey !== undefined) return await resealAll(database.url, keyringOf(env))

  if (database.running)
    throw new StartError(`${env.dataDir} is in use: stop its house first, which would not know the new key`)
  // What an earlier run left unfinished opens with the previous key, which a new one would push out.
  if (!(await resealAll(database.url, keyringOf(env)))) return false
  const old = getSecretKey(env)
  renewSecretKey(env.dataDir)
  console.log(`${env.dataDir} has a new secret key`)
  return await resealAll(database.url, openKeyring(getSecretKey(env), old))
}

/** Whether all of it could be opened. */
const resealAll = async (url: string, keyring: Keyring): Promise<boolean> => {
  const sql = connect(url, { max: 2, name: 'paymachine rekey' })
  let whole = true
  try {
    for (const each of sealedColumns) {
      const { resealed, unreadable } = await rekey(sql, keyring, each)
      console.log(`${each.table}.${each.column}: ${resealed} sealed anew`)
      if (unreadable.length === 0) continue
      whole = false
      console.error(
        `${each.table}.${each.column}: neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens ${unreadable.length}, of ${unreadable.slice(0, 5).join(', ')}${unreadable.length > 5 ? ' …' : ''}`,
      )
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
  return whole
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
}
