import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import { requireOwn } from '../process/account.ts'
import { type DataFolderLock, tryLockDataFolder } from '../process/data-folder-lock.ts'
import { writePrivate } from '../process/private-file.ts'
import { endOrphan } from './anvil.ts'
import type { Keeper } from './keeper.ts'
import { keepNode, type OwnNode } from './own-node.ts'

export type EmbeddedSandboxOptions = {
  readonly dataDir: string
  readonly binary: string
  readonly say: (line: string) => void
}

/**
 * The sandbox chain of a data folder. The first process that asks runs it; others use it too, and one of
 * them goes on with it, at the same address, when the first has ended.
 */
export const openEmbedded = async ({ dataDir, binary, say }: EmbeddedSandboxOptions): Promise<Keeper> => {
  const folder = makeFolder(dataDir)
  let own: { readonly node: OwnNode; readonly held: DataFolderLock } | undefined

  const tryOwn = async (fixed?: number) => {
    const held = tryLockDataFolder(folder)
    if (!held) return
    try {
      const last = readNodeFile(folder)
      // Where it was is nowhere until it runs again.
      rmSync(nodeFile(folder), { force: true })
      if (last) await endOrphan(last, folder)
      const place = { port: fixed ?? last?.port, fixedPort: fixed !== undefined }
      const started = (node: NodeFile) => writePrivate(nodeFile(folder), JSON.stringify(node))
      own = { held, node: await keepNode({ folder, binary, say, started, ...place }) }
    } catch (error) {
      held.release()
      throw error
    }
  }

  await tryOwn()
  // Whoever has it may be long about starting it, and may have to give up.
  for (let tries = 0; !own && !readNodeFile(folder) && tries < 1_200; tries++) {
    await sleep(50)
    await tryOwn()
  }
  const port = own?.node.port ?? readNodeFile(folder)?.port
  if (port === undefined) throw new Error('the process that keeps it does not say where it is')
  return {
    url: urlAt(port),
    epoch: () => own?.node.epoch() ?? readNodeFile(folder)?.epoch,
    look: async () => {
      if (!own) await tryOwn(port)
    },
    save: async (head, idle) => own?.node.save(head, idle),
    stop: async () => {
      await own?.node.stop()
      own?.held.release()
    },
  }
}

/** Where the sandbox of a data folder is, for a command beside its house; it may be stopped. */
export const findEmbeddedUrl = (dataDir: string): string | undefined => {
  const node = readNodeFile(join(resolve(dataDir), 'sandbox'))
  return node && urlAt(node.port)
}

const urlAt = (port: number): string => `http://127.0.0.1:${port}`

/** Others may pass through the data folder, as the account that runs Postgres does. */
const makeFolder = (dataDir: string): string => {
  const folder = join(resolve(dataDir), 'sandbox')
  mkdirSync(resolve(dataDir), { recursive: true, mode: 0o711 })
  requireOwn(resolve(dataDir))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

const nodeFile = (folder: string) => join(folder, 'node.json')

const readNodeFile = (folder: string): NodeFile | undefined => {
  try {
    return parseNodeFile.assert(readFileSync(nodeFile(folder), 'utf8'))
  } catch {
    return undefined
  }
}

const parseNodeFile = type('string.json.parse').to({ pid: 'number', port: 'number', epoch: 'string' })
type NodeFile = typeof parseNodeFile.infer
