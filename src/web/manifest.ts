import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a build has made, and from which sources. It is written last, so that all files it names exist. */
export type Manifest = {
  /** SHA-256 of every file that the build has read, by path below the root. */
  readonly sources: Readonly<Record<string, string>>
  /** By source below `src/web`: `pay/main.ts`. */
  readonly entries: Readonly<Record<string, Entry>>
  /** The packages whose code is in the files. */
  readonly packages: readonly string[]
  readonly files: readonly BuiltFile[]
}

export type Entry = {
  /** Name below `/assets/`. */
  readonly file: string
  /** The other files of its first load: what it imports, directly or not. */
  readonly imports: readonly string[]
  /** Files that it loads when they are needed. */
  readonly lazy: readonly string[]
}

/** A file with its size in bytes as it is, and compressed. */
export type BuiltFile = { readonly name: string; readonly bytes: number; readonly gzip: number; readonly br: number }

/** Where a build lies, below the root of the project. */
export const WEB_FOLDER = 'dist/web'

/**
 * The entries: `main.ts` or `main.tsx`, what runs before it in `early.ts`, and the style sheet of the same name as the
 * folder, of each folder of `src/web`. Found by name, so that a new surface is a new folder.
 */
export const findEntries = (root: string): readonly string[] =>
  readdirSync(join(root, 'src/web'), { withFileTypes: true })
    .filter(each => each.isDirectory())
    .flatMap(({ name }) => [`${name}/early.ts`, `${name}/main.ts`, `${name}/main.tsx`, `${name}/${name}.css`])
    .filter(path => existsSync(join(root, 'src/web', path)))
    .sort()

/** Undefined if there is no build in the folder. */
export const readManifest = (folder: string): Manifest | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  } catch {
    return undefined
  }
}

/** Whether a build was made from the sources as they are. By content: a checkout sets the time of every file. */
export const isCurrent = (root: string, { sources, entries }: Manifest): boolean =>
  findEntries(root).join() === Object.keys(entries).sort().join() &&
  Object.entries(sources).every(([path, hash]) => hashOfFile(join(root, path)) === hash)

/** The hash of no content if there is no such file. */
export const hashOfFile = (path: string): string => {
  const hash = createHash('sha256')
  try {
    hash.update(readFileSync(path))
  } catch {}
  return hash.digest('base64url')
}
