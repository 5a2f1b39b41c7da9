import { expect, test } from 'bun:test'
import { allTests, readIfThere, testsOf } from './changed.ts'

const files: Readonly<Record<string, string>> = {
  'src/a.ts': "import { b } from './b.ts'",
  'src/b.ts': "import type { A } from './a.ts'",
  'src/c.ts': '',
  'test/a.test.ts': "import '../src/a.ts'",
  'test/b.test.ts': "spawn(new URL('../src/b.ts', import.meta.url))",
  'test/c.test.ts': "import '../src/c.ts'",
}
const tests = ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts']
const of = (...changed: string[]) => testsOf(changed, tests, path => files[path])

test('a change affects the tests that import it, also through circles and started programs', () => {
  expect(of('src/a.ts')).toEqual(['test/a.test.ts', 'test/b.test.ts'])
  expect(of('src/b.ts')).toEqual(['test/a.test.ts', 'test/b.test.ts'])
  expect(of('src/c.ts')).toEqual(['test/c.test.ts'])
  expect(of('test/c.test.ts')).toEqual(['test/c.test.ts'])
  expect(of('README.md')).toEqual([])
})

test('any change affects the tests of the documents', () => {
  const compared = 'test/docs/operating.test.ts'
  expect(testsOf(['src/c.ts'], [...tests, compared], path => files[path])).toEqual(['test/c.test.ts', compared])
})

test('a change of SQL, the harness or dependencies affects every test', () => {
  for (const path of ['sql/001-actors.sql', 'test/harness/main.ts', 'package.json']) expect(of(path)).toEqual(tests)
})

test('a change of the actors affects the torture test, and not the test of address ranges', () => {
  const found = testsOf(['src/actors/lanes.ts'], allTests(), readIfThere)
  expect(found).toContain('test/torture/torture.test.ts')
  expect(found.length).toBeLessThan(allTests().length)
})

test('a change of the cases of a machine affects the tests of all machines', () => {
  const found = testsOf(['test/machines/dispute-cases.ts'], allTests(), readIfThere)
  expect(found).toContain('test/kinds/tables.test.ts')
  expect(found).toContain('test/machines/all.test.ts')
})
