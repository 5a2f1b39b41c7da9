import { readFileSync } from 'node:fs'

/**
 * Joins the modules of a page into one script, because the policy of the page has one hash. The files are modules, so that
 * a linter can check their imports. Here they are concatenated, each after its imports, without `import` and `export`.
 * A top-level name must be unique in all of them.
 */
export const joinScript = (entry: URL): string => {
  const known = new Set<string>()
  const texts: string[] = []
  const add = (url: URL): void => {
    if (known.has(url.href)) return
    known.add(url.href)
    const text = readFileSync(url, 'utf8')
    for (const [, path = ''] of text.matchAll(IMPORTS)) add(new URL(path, url))
    texts.push(text.replace(IMPORTS, '').replace(/^export /gm, ''))
  }
  add(entry)
  return `(() => {\n'use strict'\n${texts.join('\n')}})()\n`
}

const IMPORTS = /^import \{[^}]*\} from '(\.[^']*)'\n/gm
