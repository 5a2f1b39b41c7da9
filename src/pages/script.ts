import { readFileSync } from 'node:fs'

/**
 * A page's script of one file or several, as the one text whose hash its policy names. The files are modules, so that
 * a linter sees what each takes of the others; here they are put behind one another, each after what it imports, and
 * the words `import` and `export` go. No two of them may use one name for two things.
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
