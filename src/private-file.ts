import { chownSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRoot } from './postgres/account.ts'

/** Written whole or not at all, readable by its owner only; what root writes belongs to the folder's owner. */
export const writePrivate = (path: string, text: string) => {
  const writing = `${path}.new`
  writeFileSync(writing, text, { mode: 0o600, flush: true })
  giveToOwner(writing)
  renameSync(writing, path)
}

/** Of the folder it is in: started by root once, a house is its owner's all the same. */
export const giveToOwner = (path: string) => {
  if (!isRoot()) return
  const { uid, gid } = statSync(dirname(path))
  chownSync(path, uid, gid)
}
