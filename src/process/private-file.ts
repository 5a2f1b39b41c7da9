import { closeSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRoot } from './account.ts'

/** Writes a file atomically, readable by its owner only. If root writes it, it belongs to the owner of the folder. */
export const writePrivate = (path: string, text: string) => {
  const writing = `${path}.new`
  makePrivate(writing, text)
  renameSync(writing, path)
}

/** Creates a new file, and never follows a link. */
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

/** Gives an open file to the owner of its folder, so that a later start as that user can use it. */
export const giveToOwner = (file: number, folder: string) => {
  if (!isRoot()) return
  const { uid, gid } = statSync(folder)
  fchownSync(file, uid, gid)
}
