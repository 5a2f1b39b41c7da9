import { chownSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRoot } from './postgres/account.ts'

/** Written whole or not at all, readable by its owner only; what root writes belongs to the folder's owner. */
export const writePrivate = (path: string, text: string) => {
  const { uid, gid } = statSync(dirname(path))
  const writing = `${path}.new`
  writeFileSync(writing, text, { mode: 0o600, flush: true })
  if (isRoot()) chownSync(writing, uid, gid)
  renameSync(writing, path)
}
