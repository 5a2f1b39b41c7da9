import { createHash, randomBytes } from 'node:crypto'
import { copyFile, link, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type } from 'arktype'
import { giveToOwner, writePrivate } from '../process/private-file.ts'

/** A chain as anvil dumps it, and the epoch it belongs to. */
export type SavedState = { readonly epoch: string; readonly dump: Buffer }

export type FoundState =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable' }
  | ({ readonly state: 'readable'; readonly sha256: string } & SavedState)

type Generation = 'state' | 'state.before'

/** Names a chain that goes on: a new one says that blocks of the old one, however deep, may be gone. */
export const newEpoch = (): string => randomBytes(8).toString('hex')

/** Written whole or not at all; the one that was there becomes the generation before. */
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
  // A second name and not a new one, so that there is a current generation at every moment.
  await rm(before, { force: true })
  await link(current, before).catch(error => (error.code === 'ENOENT' ? undefined : copyFile(current, before)))
  await rename(writing, current)
  writePrivate(join(folder, 'latest'), sha256)
}

/**
 * Whether nothing was saved after this one: an old file may have been put back, or half of a backup.
 * A kill between the two last lines above leaves the name of the generation before.
 */
export const isLatest = async (folder: string, state: FoundState, before: FoundState): Promise<boolean> => {
  const sha256 = await readFile(join(folder, 'latest'), 'utf8').catch(() => undefined)
  return [state, before].some(each => each.state === 'readable' && each.sha256 === sha256)
}

/** Torn, empty and foreign files are told by their hash. */
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

/** Puts a save that is no good out of the way of the next, where whoever wants to know finds it. */
export const renameUnreadable = async (folder: string) =>
  rename(join(folder, 'state'), join(folder, 'state.unreadable')).catch(() => {})

const hashOf = (dump: Buffer) => createHash('sha256').update(dump).digest('hex')

const parseHeader = type('string.json.parse').to({ format: '1', epoch: '/^[0-9a-f]{16}$/', sha256: 'string' })
