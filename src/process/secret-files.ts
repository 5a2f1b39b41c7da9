import { readFileSync } from 'node:fs'
import { StartError } from './start-error.ts'

/** Secrets that can be in a file, such as a Docker or systemd secret: `<variable>_FILE` is its path. */
const secretNames = ['DATABASE_URL', 'SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'METRICS_TOKEN'] as const

/** Returns the variables whose values are in files. */
export const readSecretFiles = (set: Readonly<Record<string, string | undefined>>): Record<string, string> => {
  const secrets: Record<string, string> = {}
  for (const name of secretNames) {
    const path = set[`${name}_FILE`]
    if (path === undefined) continue
    if (set[name] !== undefined) throw new StartError(`${name} and ${name}_FILE are both set: remove one of them`)
    secrets[name] = readSecretFile(`${name}_FILE`, path)
  }
  return secrets
}

const readSecretFile = (variable: string, path: string): string => {
  let text: string
  try {
    // Editors add a line break at the end of a file.
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new StartError(`${variable}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (text === '') throw new StartError(`${variable}: ${path} is empty`)
  return text
}
