import { openDeploymentDatabase } from '../deployment/database.ts'
import { keyringOf } from '../deployment/keyring.ts'
import { parseEnv } from '../env.ts'
import { type Keyring, openKeyring } from '../keyring.ts'
import { connect } from '../postgres/connect.ts'
import { getSecretKey, hasSecretKey, renewSecretKey } from '../process/secret-key.ts'
import { StartError } from '../process/start-error.ts'
import { sealedColumns } from '../sealed-columns.ts'
import { rekey } from './rekey.ts'

/**
 * `bun run rekey`: encrypts all stored secrets again with SECRET_KEY, while servers run that have this key and the previous
 * one. A data folder with its own key gets a new key. Its server must be stopped, because it would not have the new key.
 */
const main = async (): Promise<boolean> => {
  const env = parseEnv(process.env)
  await using database = await openDeploymentDatabase(env)
  // A new key would decrypt nothing.
  if (!hasSecretKey(env)) throw new StartError(`${env.dataDir}/secret-key is missing: restore it from a backup`)
  if (env.secretKey !== undefined) return await resealAll(database.url, keyringOf(env))

  if (database.running)
    throw new StartError(`${env.dataDir} is in use: stop its server first, because it would not have the new key`)
  // Secrets that an unfinished run has left need the previous key, which a new key would replace.
  if (!(await resealAll(database.url, keyringOf(env)))) return false
  const old = getSecretKey(env)
  renewSecretKey(env.dataDir)
  console.log(`Created a new secret key in ${env.dataDir}`)
  return await resealAll(database.url, openKeyring(getSecretKey(env), old))
}

/** Returns whether all secrets could be decrypted. */
const resealAll = async (url: string, keyring: Keyring): Promise<boolean> => {
  const sql = connect(url, { max: 2, name: 'paymachine rekey' })
  let whole = true
  try {
    for (const each of sealedColumns) {
      const { resealed, unreadable } = await rekey(sql, keyring, each)
      console.log(`${each.table}.${each.column}: ${resealed} encrypted with the current key`)
      if (unreadable.length === 0) continue
      whole = false
      console.error(
        `${each.table}.${each.column}: neither SECRET_KEY nor SECRET_KEY_PREVIOUS decrypts ${unreadable.length}, in the rows ${unreadable.slice(0, 5).join(', ')}${unreadable.length > 5 ? ' …' : ''}`,
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
