import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { accountName, can, isRoot } from './account.ts'
import { StartError } from './start-error.ts'

/**
 * If root starts the process with a data folder of another user, the process changes to that user. Root must not open files
 * there: with a link, the user could redirect it to any file of the machine. A missing data folder is created by the owner
 * of the folder it will be in. Returns the name of the user and the folder that decided.
 */
export const leaveRoot = (dataDir: string): { readonly name: string; readonly folder: string } | undefined => {
  if (!isRoot()) return undefined
  const folder = existingFolder(resolve(dataDir))
  const { uid, gid } = statSync(folder)
  if (uid === 0) return undefined
  const name = accountName(uid)
  if (!process.setgroups || !process.setgid || !process.setuid)
    throw new StartError(`${folder} belongs to user ${name}: start as that user, or give it to root`)
  const program = fileURLToPath(new URL('../..', import.meta.url))
  // Modules that are imported later must be readable for that user.
  if (!can({ name, uid, gid }, 'test', '-r', fileURLToPath(import.meta.url)))
    throw new StartError(
      `${folder} belongs to user ${name}, who cannot read ${program}: let that user read it, or give ${folder} to root`,
    )
  process.setgroups([])
  process.setgid(gid)
  process.setuid(uid)
  return { name, folder }
}

/** The folder, or the nearest one above it that exists. */
const existingFolder = (path: string): string => (existsSync(path) ? path : existingFolder(dirname(path)))
