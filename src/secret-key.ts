import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Env, SECRET_KEY_LENGTH } from './env.ts'
import { writePrivate } from './private-file.ts'
import { StartError } from './start-error.ts'

/** The operator's, or one made for the data folder; whoever loses it loses every secret stored with it. */
export const getSecretKey = ({ secretKey, dataDir }: Pick<Env, 'secretKey' | 'dataDir'>): string => {
  if (secretKey !== undefined) return secretKey
  const path = currentFile(dataDir)
  if (!existsSync(path)) writePrivate(path, makeSecretKey())
  return readKey(path, 'put back the one that was there')
}

/** Whether there is one, or one would be made. */
export const hasSecretKey = ({ secretKey, dataDir }: Pick<Env, 'secretKey' | 'dataDir'>): boolean =>
  secretKey !== undefined || existsSync(currentFile(dataDir))

/** The one that is accepted beside it: the operator's, or what a new one for the data folder took the place of. */
export const findPreviousSecretKey = ({
  secretKey,
  previousSecretKey,
  dataDir,
}: Pick<Env, 'secretKey' | 'previousSecretKey' | 'dataDir'>): string | undefined => {
  if (secretKey !== undefined || previousSecretKey !== undefined) return previousSecretKey
  const path = previousFile(dataDir)
  return existsSync(path) ? readKey(path, 'put it back, or remove it once `bun run rekey` has ended well') : undefined
}

/** A new one for the data folder. The old one is kept first: ended in between, both files hold it. */
export const renewSecretKey = (dataDir: string): void => {
  writePrivate(previousFile(dataDir), getSecretKey({ secretKey: undefined, dataDir }))
  writePrivate(currentFile(dataDir), makeSecretKey())
}

/** What a full disk or half a copy has left of one is none. */
const readKey = (path: string, advice: string): string => {
  const key = readFileSync(path, 'utf8')
  if (key.length < SECRET_KEY_LENGTH)
    throw new StartError(`${path} holds fewer than ${SECRET_KEY_LENGTH} characters and is no secret key: ${advice}`)
  return key
}

const makeSecretKey = () => randomBytes(32).toString('base64url')

const currentFile = (dataDir: string) => join(resolve(dataDir), 'secret-key')
const previousFile = (dataDir: string) => join(resolve(dataDir), 'secret-key.previous')
