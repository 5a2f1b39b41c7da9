import type { Env } from '../env.ts'
import { type Keyring, openKeyring } from '../keyring.ts'
import type { Sql } from '../postgres/connect.ts'
import { onlyRow } from '../postgres/errors.ts'
import { findPreviousSecretKey, getSecretKey, hasSecretKey } from '../process/secret-key.ts'
import { StartError } from '../process/start-error.ts'
import { type SealedColumn, sealedColumns } from '../sealed-columns.ts'

type Keys = Pick<Env, 'secretKey' | 'previousSecretKey' | 'dataDir'>

/** Creates a key in a data folder without one. */
export const keyringOf = (env: Keys): Keyring => openKeyring(getSecretKey(env), findPreviousSecretKey(env))

/**
 * The keyring of a database. A start with a key that decrypts nothing in it fails: webhooks could not be signed, and what is
 * encrypted from now on would be lost when the right key is back.
 */
export const openDeploymentKeyring = async (sql: Sql, env: Keys): Promise<Keyring> => {
  const keyring = hasSecretKey(env) ? keyringOf(env) : undefined
  let isSealed = false
  for (const column of sealedColumns) {
    const { sealed, known } = await look(sql, column, keyring?.ids ?? [])
    if (keyring && known) return keyring
    isSealed ||= sealed
  }
  if (!isSealed) return keyring ?? keyringOf(env)
  throw new StartError(
    env.secretKey === undefined
      ? `The secrets in this database were encrypted with another key than ${env.dataDir}/secret-key: restore the key from a backup`
      : 'The secrets in this database were encrypted with another key than SECRET_KEY: set the previous value again',
  )
}

const look = async (sql: Sql, { table, column }: SealedColumn, ids: readonly string[]) =>
  onlyRow(
    await sql<{ sealed: boolean; known: boolean }[]>`
    select
      exists (select from ${sql(table)} where ${sql(column)} is not null) as sealed,
      exists (select from ${sql(table)} where split_part(${sql(column)}, '.', 2) = any(${[...ids]}::text[])) as known`,
  )
