import { closeSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRoot } from './account.ts'

/** Written whole or not at all, readable by its owner only; what root writes belongs to the folder's owner. */
export const writePrivate = (path: string, text: string) => {
  const writing = `${path}.new`
  makePrivate(writing, text)
  renameSync(writing, path)
}

/** A new file, never one that a link leads to. */
export const makePrivate = (path: string, text: string) => {
  rmSync(path, { force: true })
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
    giveToOwner(file, dirname(path))
  } finally {
    closeSync(file)
  }
}

/** An open file to the owner of its folder: started by root once, a service is its owner's all the same. */
export const giveToOwner = (file: number, folder: string) => {
  if (!isRoot()) return
  const { uid, gid } = statSync(folder)
  fchownSync(file, uid, gid)
}
