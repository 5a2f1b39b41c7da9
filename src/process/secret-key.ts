import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writePrivate } from './private-file.ts'
import { StartError } from './start-error.ts'

/** The minimum length of a secret key. */
export const SECRET_KEY_LENGTH = 32

/** The environment variables for secret keys. */
export type SecretKeySettings = {
  /** Undefined: the key in the data folder. */
  readonly secretKey: string | undefined
  readonly previousSecretKey: string | undefined
  readonly dataDir: string
}

/**
 * SECRET_KEY, or the key of the data folder, which is created if needed. Without the key, all stored secrets are lost.
 */
export const getSecretKey = ({ secretKey, dataDir }: Pick<SecretKeySettings, 'secretKey' | 'dataDir'>): string => {
  if (secretKey !== undefined) return secretKey
  const path = currentFile(dataDir)
  if (!existsSync(path)) writePrivate(path, makeSecretKey())
  return readKey(path, 'restore the key from a backup')
}

/** Whether a key exists; otherwise one would be created. */
export const hasSecretKey = ({ secretKey, dataDir }: Pick<SecretKeySettings, 'secretKey' | 'dataDir'>): boolean =>
  secretKey !== undefined || existsSync(currentFile(dataDir))

/** The previous key, which is accepted too: SECRET_KEY_PREVIOUS, or the replaced key of the data folder. */
export const findPreviousSecretKey = ({
  secretKey,
  previousSecretKey,
  dataDir,
}: SecretKeySettings): string | undefined => {
  if (secretKey !== undefined || previousSecretKey !== undefined) return previousSecretKey
  const path = previousFile(dataDir)
  return existsSync(path) ? readKey(path, 'restore it, or remove it after `bun run rekey` has succeeded') : undefined
}

/**
 * Creates a new key for the data folder. The old key is saved first, so that it is not lost if the process ends in
 * between.
 */
export const renewSecretKey = (dataDir: string): void => {
  writePrivate(previousFile(dataDir), getSecretKey({ secretKey: undefined, dataDir }))
  writePrivate(currentFile(dataDir), makeSecretKey())
}

/** A key that was truncated by a full disk or an incomplete copy is refused. */
const readKey = (path: string, advice: string): string => {
  const key = readFileSync(path, 'utf8')
  if (key.length < SECRET_KEY_LENGTH)
    throw new StartError(`${path} has fewer than ${SECRET_KEY_LENGTH} characters and is not a secret key: ${advice}`)
  return key
}

const makeSecretKey = () => randomBytes(32).toString('base64url')

const currentFile = (dataDir: string) => join(resolve(dataDir), 'secret-key')
const previousFile = (dataDir: string) => join(resolve(dataDir), 'secret-key.previous')
