import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Env } from './env.ts'
import { writePrivate } from './private-file.ts'

/** The operator's, or one made for the data folder; whoever loses it loses every secret stored with it. */
export const getSecretKey = ({ secretKey, dataDir }: Pick<Env, 'secretKey' | 'dataDir'>): string => {
  if (secretKey !== undefined) return secretKey
  const path = currentFile(dataDir)
  if (!existsSync(path)) writePrivate(path, makeSecretKey())
  return readFileSync(path, 'utf8')
}

/** The one that is accepted beside it: the operator's, or what a new one for the data folder took the place of. */
export const findPreviousSecretKey = ({
  secretKey,
  previousSecretKey,
  dataDir,
}: Pick<Env, 'secretKey' | 'previousSecretKey' | 'dataDir'>): string | undefined => {
  if (secretKey !== undefined || previousSecretKey !== undefined) return previousSecretKey
  const path = previousFile(dataDir)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** A new one for the data folder. The old one is kept first: ended in between, both files hold it. */
export const renewSecretKey = (dataDir: string): void => {
  writePrivate(previousFile(dataDir), getSecretKey({ secretKey: undefined, dataDir }))
  writePrivate(currentFile(dataDir), makeSecretKey())
}

const makeSecretKey = () => randomBytes(32).toString('base64url')

const currentFile = (dataDir: string) => join(resolve(dataDir), 'secret-key')
const previousFile = (dataDir: string) => join(resolve(dataDir), 'secret-key.previous')
