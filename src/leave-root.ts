import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { can, isRoot, nameOf } from './postgres/account.ts'
import { StartError } from './start-error.ts'

/**
 * Started by root in a data folder of another user, the process becomes that user. Root must open nothing there: by a
 * link the user could make it any file of the machine. Answers the user's name.
 */
export const leaveRoot = (dataDir: string): string | undefined => {
  if (!isRoot() || !existsSync(dataDir)) return undefined
  const { uid, gid } = statSync(dataDir)
  if (uid === 0) return undefined
  const name = nameOf(uid)
  if (!process.setgroups || !process.setgid || !process.setuid)
    throw new StartError(`${dataDir} belongs to user ${name}: start as that user, or give it to root`)
  const program = fileURLToPath(new URL('..', import.meta.url))
  // What is imported later must be readable then.
  if (!can({ name, uid, gid }, 'test', '-r', fileURLToPath(import.meta.url)))
    throw new StartError(
      `${dataDir} belongs to user ${name}, who cannot read ${program}: let that user read it, or give ${dataDir} to root`,
    )
  process.setgroups([])
  process.setgid(gid)
  process.setuid(uid)
  return name
}
