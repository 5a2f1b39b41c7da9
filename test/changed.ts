import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A change of one of these may affect any test. */
const CONCERNS_ALL = /^(sql\/|package\.json|bun\.lock|bunfig\.toml|tsconfig\.json|test\/(run|harness)|src\/postgres\/)/

/** These compare documents with the text of the whole program. */
const CONCERNED_BY_ALL = /^test\/docs\//

/** The cases of machines, which another file imports by the names of the machines. */
const CASES = /^test\/machines\/[\w-]+-cases\.ts$/
const IMPORTS_CASES = 'test/kinds/subjects.ts'

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
  const readers = new Map<string, string[]>()
  const visited = new Set<string>()
  const visit = (path: string): void => {
    if (visited.has(path)) return
    visited.add(path)
    for (const to of pathsIn(path, read(path) ?? '')) {
      readers.set(to, [...(readers.get(to) ?? []), path])
      visit(to)
    }
  }
  for (const path of tests) visit(path)
  const affected = new Set(changed)
  if (changed.some(path => CASES.test(path))) affected.add(IMPORTS_CASES)
  // The loop continues with what it adds.
  for (const path of affected) for (const reader of readers.get(path) ?? []) affected.add(reader)
  return tests.filter(path => CONCERNED_BY_ALL.test(path) || affected.has(path))
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
