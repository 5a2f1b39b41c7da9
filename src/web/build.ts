import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { bundleCss, hashedName } from './bundle-css.ts'
import { type BuiltFile, type Entry, findEntries, hashOfFile, type Manifest, readManifest } from './manifest.ts'

/** Built with Bun, into a folder that any runtime serves. */
type BuildOptions = {
  /** The root of the project. */
  readonly root: string
  readonly folder: string
  /** Below `src/web`, or absolute. */
  readonly entries: readonly string[]
}

/**
 * Names contain the hash of the content, and every file is put in its place by a rename: processes that build at the same
 * time write the same files, and a reader of the previous manifest finds all of its files until the next build.
 */
export const build = async ({ root, folder, entries }: BuildOptions): Promise<Manifest> => {
  const web = join(root, 'src/web')
  const [sheets, modules] = [entries.filter(isSheet), entries.filter(each => !isSheet(each))]
  const built = await bundleModules(web, modules)
  const styles = sheets.map(entry => ({ entry, ...bundleCss(resolve(web, entry)) }))
  const named = styles.map(({ entry, text }) => ({ entry, name: hashedName(basename(entry, '.css'), text), text }))
  const texts = [...built.texts, ...named.map(({ name, text }) => [name, text] as const)]
  await mkdir(folder, { recursive: true })
  const files = await Promise.all(texts.map(([name, text]) => write(folder, name, text)))
  const sources = [...built.sources, ...styles.flatMap(each => each.sources), ...BUILDERS.map(path => join(root, path))]
  const manifest: Manifest = {
    sources: Object.fromEntries(sources.map(path => [relative(root, path), hashOfFile(path)])),
    entries: {
      ...Object.fromEntries(named.map(({ entry, name }) => [entry, { file: name, imports: [], lazy: [] }])),
      ...built.entries,
    },
    packages: built.packages,
    files,
  }
  const before = readManifest(folder)
  await put(folder, 'manifest.json', JSON.stringify(manifest, null, 1))
  await removeOthers(folder, [manifest, ...(before ? [before] : [])])
  return manifest
}

const isSheet = (path: string): boolean => path.endsWith('.css')

/** They decide what a build makes of its sources. */
const BUILDERS = ['bun.lock', 'src/web/build.ts', 'src/web/bundle-css.ts', 'src/web/tsconfig.json', 'tsconfig.json']

const bundleModules = async (web: string, entries: readonly string[]) => {
  const { outputs, metafile } = await Bun.build({
    entrypoints: entries.map(each => resolve(web, each)),
    root: web,
    format: 'esm',
    target: 'browser',
    minify: true,
    splitting: true,
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]' },
  })
  const texts = await Promise.all(outputs.map(async each => [basename(each.path), await each.text()] as const))
  const made = new Map(Object.entries(metafile?.outputs ?? {}).map(([path, output]) => [basename(path), output]))
  const namesOf = (name: string, kind: string) =>
    (made.get(name)?.imports ?? []).filter(each => each.kind === kind).map(each => basename(each.path))
  /** Everything that is reached over imports of one kind. */
  const reached = (names: readonly string[], kind: string, found = new Set<string>()): ReadonlySet<string> => {
    for (const name of names) if (!found.has(name)) reached(namesOf(name, kind), kind, found.add(name))
    return found
  }
  const entryOf = (file: string): Entry => {
    const first = reached([file], 'import-statement')
    const lazy = reached(
      [...first].flatMap(name => namesOf(name, 'dynamic-import')),
      'import-statement',
    )
    return {
      file,
      imports: [...first].filter(name => name !== file),
      lazy: [...lazy].filter(name => !first.has(name)),
    }
  }
  const nameOf = (entry: string) => {
    const wanted = resolve(web, entry)
    const found = [...made].find(([, { entryPoint = '' }]) => resolve(entryPoint) === wanted)
    if (!found) throw new Error(`Nothing was built of ${entry}`)
    return found[0]
  }
  const inputs = Object.keys(metafile?.inputs ?? {}).map(path => resolve(path))
  const packageOf = (path: string) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
  return {
    texts,
    sources: inputs.filter(path => packageOf(path) === undefined),
    packages: [...new Set(inputs.flatMap(path => packageOf(path) ?? []))].sort(),
    entries: Object.fromEntries(entries.map(entry => [entry, entryOf(nameOf(entry))])),
  }
}

/** Compressed once, as small as it gets. */
const write = async (folder: string, name: string, text: string): Promise<BuiltFile> => {
  const bytes = new TextEncoder().encode(text)
  const [zipped, br] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  ])
  await Promise.all([put(folder, name, bytes), put(folder, `${name}.gz`, zipped), put(folder, `${name}.br`, br)])
  return { name, bytes: bytes.length, gzip: zipped.length, br: br.length }
}

/** A reader sees the file whole or not at all. */
const put = async (folder: string, name: string, content: string | Uint8Array): Promise<void> => {
  const draft = join(folder, `.${name}.${process.pid}`)
  await writeFile(draft, content)
  await rename(draft, join(folder, name))
}

/** Except the drafts of a build that is under way. Those of one that was killed are left, too small to matter. */
const removeOthers = async (folder: string, manifests: readonly Manifest[]): Promise<void> => {
  const names = manifests.flatMap(({ files }) => files.map(({ name }) => name))
  const kept = new Set(['manifest.json', ...names.flatMap(name => [name, `${name}.gz`, `${name}.br`])])
  const others = (await readdir(folder)).filter(name => !kept.has(name) && !name.startsWith('.'))
  await Promise.all(others.map(name => rm(join(folder, name), { force: true })))
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const folder = resolve(root, process.argv[2] ?? 'dist/web')
  const began = performance.now()
  const { files } = await build({ root, folder, entries: findEntries(root) })
  const kilobytes = (files.reduce((sum, { gzip }) => sum + gzip, 0) / 1_000).toFixed(1)
  console.log(`Built ${files.length} files, ${kilobytes} KB gzip, in ${Math.round(performance.now() - began)} ms`)
}
