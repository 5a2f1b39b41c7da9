import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { AssetFile, Web } from '../pages/web.ts'
import { StartError } from '../process/start-error.ts'
import { isCurrent, type Manifest, readManifest, WEB_FOLDER } from '../web/manifest.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type OpenWebOptions = {
  /** Prints one line for the operator. */
  readonly say: (line: string) => void
  readonly folder?: string
}

/**
 * Reads the built modules and style sheets into memory. Bun builds them if their sources have changed; on other runtimes
 * they must have been built before.
 */
export const openWeb = async ({ say, folder = join(root, WEB_FOLDER) }: OpenWebOptions): Promise<Web> => {
  const web = await readOrBuild(folder, say)
  if (process.execArgv.includes('--watch')) await watchSources(folder)
  return web
}

const readOrBuild = async (folder: string, say: OpenWebOptions['say']): Promise<Web> => {
  const manifest = readManifest(folder)
  if (manifest && isCurrent(root, manifest)) return readWeb(folder)
  if (process.versions.bun) return await buildAndRead(folder, say)
  if (!manifest)
    throw new StartError(
      'The web pages are not built: run `bun run build` (without Bun: `npx -y bun@1.4.5 src/web/build.ts`), then start again',
    )
  say('The web pages are older than their sources: run `bun run build`, then start again')
  return readWeb(folder)
}

/** For processes that serve no pages: their page for unknown paths has no style. */
export const noWeb: Web = {
  asset: source => {
    throw new Error(`This process serves no pages, and no ${source}`)
  },
  preloads: () => [],
  styleText: () => '',
  file: () => undefined,
}

/** `bun --watch` restarts the process when a file changes that it has imported, also as a text. */
const watchSources = async (folder: string): Promise<void> => {
  const paths = Object.keys(readManifest(folder)?.sources ?? {}).filter(path => path.startsWith('src/web/'))
  await Promise.all(paths.map(path => import(join(root, path), { with: { type: 'text' } })))
}

const buildAndRead = async (folder: string, say: OpenWebOptions['say']): Promise<Web> => {
  if (canWrite(folder)) {
    await build(folder)
    return readWeb(folder)
  }
  say(`The web pages are built at every start, because this user cannot write to ${folder}`)
  const temporary = mkdtempSync(join(tmpdir(), 'paymachine-web-'))
  try {
    await build(temporary)
    return readWeb(temporary)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** In a separate process, because the memory of the bundler would not be freed in the server. */
const build = async (folder: string): Promise<void> => {
  const child = spawn(process.execPath, [join(root, 'src/web/build.ts'), folder], {
    cwd: root,
    stdio: ['inherit', 'ignore', 'pipe'],
  })
  const exited = new Promise<number | null>(resolve => child.once('close', resolve).once('error', () => resolve(null)))
  const errors = await text(child.stderr)
  if ((await exited) !== 0)
    throw new StartError(`The web pages cannot be built: ${errors.trim() || 'see `bun run build`'}`)
}

/** Whether the folder, or the nearest one above it that exists, can be written to. */
const canWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    return Object(error).code === 'ENOENT' && canWrite(join(folder, '..'))
  }
}

/** Retries, because another process may replace the build between two reads. */
export const readWeb = (folder: string, attempts = 5): Web => {
  const manifest = readManifest(folder)
  if (!manifest) throw new StartError(`There is no manifest.json in ${folder}: run \`bun run build\`, then start again`)
  try {
    return webOf(manifest, new Map(manifest.files.map(({ name }) => [name, readFile(folder, name)])))
  } catch (error) {
    if (attempts === 0) throw error
    return readWeb(folder, attempts - 1)
  }
}

const readFile = (folder: string, name: string): AssetFile => {
  const read = (suffix: string) => new Uint8Array(readFileSync(join(folder, name + suffix)))
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    identity: read(''),
    gzip: read('.gz'),
    br: read('.br'),
  }
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

const webOf = ({ entries }: Manifest, files: ReadonlyMap<string, AssetFile>): Web => {
  const entryOf = (source: string) => {
    const entry = entries[source]
    if (!entry) throw new Error(`src/web/${source} is not an entry of the build`)
    return entry
  }
  return {
    asset: source => addressOf(entryOf(source).file),
    preloads: source => entryOf(source).imports.map(addressOf),
    styleText: source => new TextDecoder().decode(files.get(entryOf(source).file)?.identity),
    file: name => files.get(name),
  }
}

const addressOf = (file: string): string => `/assets/${file}`
