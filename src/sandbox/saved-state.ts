import { createHash, randomBytes } from 'node:crypto'
import { copyFile, link, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type } from 'arktype'
import { giveToOwner, writePrivate } from '../process/private-file.ts'

/** A dump of a chain by anvil, and its epoch. */
export type SavedState = { readonly epoch: string; readonly dump: Buffer }

export type FoundState =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable' }
  | ({ readonly state: 'readable'; readonly sha256: string } & SavedState)

type Generation = 'state' | 'state.before'

/** A new epoch means that the chain does not continue, and that even final blocks may be gone. */
export const newEpoch = (): string => randomBytes(8).toString('hex')

/** Writes the state atomically. The existing one becomes the previous generation. */
export const writeState = async (folder: string, { epoch, dump }: SavedState) => {
  const current = join(folder, 'state')
  const before = join(folder, 'state.before')
  const writing = join(folder, 'state.new')
  const sha256 = hashOf(dump)
  const header = { format: 1, epoch, sha256 }
  await rm(writing, { force: true })
  const file = await open(writing, 'wx', 0o600)
  try {
    await file.writeFile(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), dump]))
    await file.sync()
    giveToOwner(file.fd, folder)
  } finally {
    await file.close()
  }
  // A hard link instead of a rename, so that there is a current generation at every moment.
  await rm(before, { force: true })
  await link(current, before).catch(error => (error.code === 'ENOENT' ? undefined : copyFile(current, before)))
  await rename(writing, current)
  writePrivate(join(folder, 'latest'), sha256)
}

/**
 * Whether this is the last saved state: an old file or a partial backup may have been restored. If the process was
 * killed between the last two lines above, the file `latest` still names the previous generation.
 */
export const isLatest = async (folder: string, state: FoundState, before: FoundState): Promise<boolean> => {
  const sha256 = await readFile(join(folder, 'latest'), 'utf8').catch(() => undefined)
  return [state, before].some(each => each.state === 'readable' && each.sha256 === sha256)
}

/** Damaged, empty and unrelated files are recognized by their hash. */
export const readState = async (folder: string, generation: Generation): Promise<FoundState> => {
  const bytes = await readFile(join(folder, generation)).catch(error => (error.code === 'ENOENT' ? undefined : null))
  if (bytes === undefined) return { state: 'missing' }
  const end = bytes?.indexOf('\n') ?? -1
  if (!bytes || end < 0) return { state: 'unreadable' }
  const header = parseHeader(bytes.toString('utf8', 0, end))
  const dump = bytes.subarray(end + 1)
  if (header instanceof type.errors || header.sha256 !== hashOf(dump)) return { state: 'unreadable' }
  return { state: 'readable', ...header, dump }
}

/** Renames an unreadable state, so that the next save does not overwrite it and it can be examined. */
export const renameUnreadable = async (folder: string) =>
  rename(join(folder, 'state'), join(folder, 'state.unreadable')).catch(() => {})

const hashOf = (dump: Buffer) => createHash('sha256').update(dump).digest('hex')

const parseHeader = type('string.json.parse').to({ format: '1', epoch: '/^[0-9a-f]{16}$/', sha256: 'string' })
