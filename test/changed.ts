import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A change of one of these may affect any test. */
const CONCERNS_ALL = /^(sql\/|package\.json|bun\.lock|bunfig\.toml|tsconfig\.json|test\/(run|harness)|src\/postgres\/)/

/** These compare documents with the text of the whole program. */
const CONCERNED_BY_ALL = /^test\/docs\//

/** Imports, and programs that a test starts: any quoted path to another module. */
const PATH = /['"](\.{1,2}\/[^'"\n]+\.(?:ts|js|json|sql|md))['"]/g

/**
 * The test files that a change of these files may affect: the changed ones, and those that lead to a changed file by the
 * paths in their text. All of them when the change affects every test.
 */
export const testsOf = (
  changed: readonly string[],
  tests: readonly string[],
  read: (path: string) => string | undefined,
): readonly string[] => {
  if (changed.some(path => CONCERNS_ALL.test(path))) return tests
  const wanted = new Set(changed)
  const known = new Map<string, boolean>()
  const leadsToChange = (path: string): boolean => {
    const answer = known.get(path)
    if (answer !== undefined) return answer
    // During its own visit a file counts as not leading to a change, which ends circles.
    known.set(path, false)
    const found = wanted.has(path) || pathsIn(path, read(path) ?? '').some(leadsToChange)
    known.set(path, found)
    return found
  }
  return tests.filter(path => {
    // A file of a circle may have been visited before the change was found.
    for (const [seen, found] of known) if (!found) known.delete(seen)
    return CONCERNED_BY_ALL.test(path) || leadsToChange(path)
  })
}

const pathsIn = (path: string, text: string): readonly string[] =>
  [...text.matchAll(PATH)].map(([, to = '']) => normalize(join(dirname(path), to)))

/** Files that differ from the commit, and new ones. */
export const changedSince = (commit: string): readonly string[] => {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  return [...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')]
}

export const readIfThere = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

export const allTests = (): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'test/*.test.ts'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter(path => path !== '' && existsSync(path))
