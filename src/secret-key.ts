import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Env } from './env.ts'
import { writePrivate } from './private-file.ts'

/** The operator's, or one made for the data folder; whoever loses it loses every secret stored with it. */
export const getSecretKey = ({ secretKey, dataDir }: Pick<Env, 'secretKey' | 'dataDir'>): string => {
  if (secretKey !== undefined) return secretKey
  const path = join(resolve(dataDir), 'secret-key')
  if (!existsSync(path)) writePrivate(path, randomBytes(32).toString('base64url'))
  return readFileSync(path, 'utf8')
}
