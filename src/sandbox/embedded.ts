import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import { requireOwn } from '../process/account.ts'
import { type DataFolderLock, tryLockDataFolder } from '../process/data-folder-lock.ts'
import { writePrivate } from '../process/private-file.ts'
import { endOrphan } from './anvil.ts'
import { type OwnNode, runOwnNode } from './own-node.ts'
import type { SandboxNode } from './sandbox-node.ts'

export type EmbeddedSandboxOptions = {
  readonly dataDir: string
  readonly binary: string
  readonly say: (line: string) => void
}

/**
 * Opens the sandbox chain of a data folder. The first process runs the node, and others use it. When that process ends,
 * one of the others continues the chain at the same address.
 */
export const openEmbedded = async ({ dataDir, binary, say }: EmbeddedSandboxOptions): Promise<SandboxNode> => {
  const folder = makeFolder(dataDir)
  let own: { readonly node: OwnNode; readonly held: DataFolderLock } | undefined

  const tryOwn = async (fixed?: number) => {
    const held = tryLockDataFolder(folder)
    if (!held) return
    try {
      const last = readNodeFile(folder)
      // Removed until the node runs again, because nothing listens at its port.
      rmSync(nodeFile(folder), { force: true })
      if (last) await endOrphan(last, folder)
      const place = { port: fixed ?? last?.port, fixedPort: fixed !== undefined }
      const started = (node: NodeFile) => writePrivate(nodeFile(folder), JSON.stringify(node))
      own = { held, node: await runOwnNode({ folder, binary, say, started, ...place }) }
    } catch (error) {
      held.release()
      throw error
    }
  }

  await tryOwn()
  // The process that holds the lock may take long to start the node, or may fail.
  for (let tries = 0; !own && !readNodeFile(folder) && tries < 1_200; tries++) {
    await sleep(50)
    await tryOwn()
  }
  const port = own?.node.port ?? readNodeFile(folder)?.port
  if (port === undefined) throw new Error('the process that runs the node has not started it')
  return {
    url: urlAt(port),
    epoch: () => own?.node.epoch() ?? readNodeFile(folder)?.epoch,
    prepare: async () => {
      if (!own) await tryOwn(port)
    },
    save: async (head, idle) => own?.node.save(head, idle),
    stop: async () => {
      await own?.node.stop()
      own?.held.release()
    },
  }
}

/** The URL of the sandbox of a data folder, for command-line tools. Its node may be stopped. */
export const findEmbeddedUrl = (dataDir: string): string | undefined => {
  const node = readNodeFile(join(resolve(dataDir), 'sandbox'))
  return node && urlAt(node.port)
}

const urlAt = (port: number): string => `http://127.0.0.1:${port}`

/** Other users may enter the data folder, because Postgres may run as another account. */
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
