import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Joins a style sheet with those that it imports, and removes comments and spaces. Bun's bundler is not used for CSS: it
 * rewrites `light-dark()` and logical properties for browsers that do not know them, which doubled the size.
 */
export const bundleCss = (path: string): { readonly text: string; readonly sources: readonly string[] } => {
  const sources = new Set<string>()
  const read = (file: string): string => {
    // A sheet that is imported twice counts where it is imported first.
    if (sources.has(file)) return ''
    sources.add(file)
    return readFileSync(file, 'utf8').replace(IMPORT, (_, name: string) => read(resolve(dirname(file), name)))
  }
  const text = minifyCss(read(path))
  return { text, sources: [...sources] }
}

const IMPORT = /^@import ['"](\.[^'"]+)['"];\n/gm

/** Texts in quotes are kept as they are. A space before a colon can be a combinator: it stays. */
export const minifyCss = (text: string): string =>
  text
    .split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\*.*?\*\/)/s)
    .map((part, at) => {
      if (at % 2 === 1) return part.startsWith('/*') ? '' : part
      return part
        .replace(/\s+/g, ' ')
        .replace(/ ?([{};,>]) ?/g, '$1')
        .replace(/: /g, ':')
        .replace(/;}/g, '}')
    })
    .join('')
    .trim()

/** The name below `/assets/`, by content as Bun names modules. */
export const hashedName = (name: string, text: string): string =>
  `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.css`
